/**
 * Makes the lines of events for people: a line for each event that an operator needs, and none per record.
 *
 * An actor that fails again and again in the same way is one line and a count: the text is printed at its first failure, and then at the
 * tenth, the hundredth, and so on. Dropped records are counted in the same way.
 */
import { isStoplogError } from '@stoplog/core';
import type { ActorName, AppEvent } from '../host/app-event.ts';
import type { NeededStore } from '../replay/needed.ts';
import { printable } from './printable.ts';
import { grouped, secondsText } from './quantity-text.ts';

export type Level = 'info' | 'warn' | 'error';
export interface EventLine {
  readonly level: Level;
  readonly text: string;
}

export class EventText {
  #held = 0;
  /** The text of the last failure of each actor. */
  readonly #failing = new Map<string, string>();

  /** The line of an event; undefined for one that needs none. */
  of(event: AppEvent): EventLine | undefined {
    switch (event.type) {
      case 'waiting':
        return info('waiting: other processes run this pipeline on this log, and have all its partitions');
      case 'rebalanced': {
        const before = this.#held;
        this.#held = event.held;
        return before === 0 && event.held === event.of ? undefined : rebalanced(event);
      }
      case 'draining':
        return info(`draining ${this.#held} actors; a second signal ends at once${event.stays === undefined ? '' : staysText(event.stays)}`);
      case 'restarting':
        return this.#restarting(event);
      case 'reset': {
        const { topic, partition, from, to } = event.jump;
        return warning(
          `${topic}[${partition}] no longer keeps the records from offset ${from}: task ${event.actor.task} resumes at ${to}. Keep them longer (retention), or run with reset: 'fail' to stop instead`,
        );
      }
      case 'suspect':
        return warning(
          `${taskOf(event.actor)} takes its next ${grouped(event.records)} records a few at a time: several processes in a row have ended there without any progress, perhaps of one of these records`,
        );
      case 'other-version':
        return warning(`processes of this group run another program (${event.others.join(', ')}; this one is ${event.own}): ${MIXED}`);
      case 'failed':
        return this.#failed(event);
      case 'fatal':
        return { level: 'error', text: sentence(event.error) };
      case 'rebuilding':
        return info(
          `${event.continues ? 'continues to rebuild' : 'rebuilds'} ${storesText(event.stores)} from ${grouped(event.records)} records; what served until now is read meanwhile`,
        );
      case 'rebuild-progress': {
        const { done, total, perSecond, secondsLeft } = event;
        const rate = perSecond > 0 ? `, ${grouped(Math.round(perSecond))}/s` : '';
        return info(`rebuilt ${grouped(done)} of ${grouped(total)} records${rate}${secondsLeft === undefined ? '' : `, ${secondsText(secondsLeft)} left`}`);
      }
      case 'rebuilt':
        return info(`${storesText(event.stores)} serves now, after ${secondsText(event.ms / 1_000)}`);
      case 'rebuild-failed':
        return {
          level: 'error',
          text: `the rebuild of ${storesText(event.stores)} has stopped, and what served until now serves on: ${sentence(event.error)}`,
        };
      case 'dropped':
        return isRound(event.all, event.records)
          ? warning(`${event.verb} has dropped ${event.all} records of '${event.topic}' so far, which had no key (docs/guides/dropped-records.md)`)
          : undefined;
      case 'cleaned':
        return info(event.line);
      case 'opened':
      case 'ended':
      case 'running':
        return undefined;
    }
  }

  #restarting({ actor, error, failures, afterMs }: AppEvent & { readonly type: 'restarting' }): EventLine | undefined {
    const said = sentence(error);
    const known = this.#failing.get(nameOf(actor));
    this.#failing.set(nameOf(actor), said);
    const again = `again in ${(afterMs / 1000).toFixed(1)} s`;
    if (known !== said) return warning(`${taskOf(actor)} failed, ${again}: ${said}`);
    return isRound(failures, 1) && failures > 1
      ? warning(`${taskOf(actor)} has failed ${failures} times in the same way, ${again}: ${codeOf(error)}`)
      : undefined;
  }
  #failed({ actor, error, failures, skip }: AppEvent & { readonly type: 'failed' }): EventLine {
    const said = sentence(error);
    const isKnown = this.#failing.get(nameOf(actor)) === said;
    const tries = failures === 1 ? 'after one failure' : `after ${failures} failures`;
    const why = isKnown ? `${codeOf(error)} as above` : said;
    const way = skip === undefined ? '' : `. To leave the record out, stop the pipeline and run: ${skip}`;
    return { level: 'error', text: `${taskOf(actor)} stopped ${tries}; the other partitions continue: ${why}${way}` };
  }
}

/** Also said by the error that refuses a second version. */
export const MIXED =
  'results of both are mixed until only one is left. In a rolling upgrade that is right if both compute the same; else stop the old processes before the new ones start, or raise the version of the stores that change (docs/guides/two-processes.md)';

const info = (text: string): EventLine => ({ level: 'info', text });
const warning = (text: string): EventLine => ({ level: 'warn', text });
const nameOf = ({ task, partition }: ActorName): string => `${task}:${partition}`;
const taskOf = ({ task, partition }: ActorName): string => `task ${task}[${partition}]`;
const codeOf = (error: Error): string => (isStoplogError(error) ? error.code : error.name);
/** True when a count that grew by `by` has reached 1, 10, 100 or another power of ten. */
const isRound = (count: number, by: number): boolean => {
  const power = 10 ** Math.floor(Math.log10(count));
  return count - by < power;
};

/** `5 of 11 actors here: 6 handed over to others`; undefined when no actor moved. */
const rebalanced = ({ taken, handedOver, held, of }: AppEvent & { readonly type: 'rebalanced' }): EventLine | undefined => {
  const changes = [...(taken > 0 ? [`${taken} taken`] : []), ...(handedOver > 0 ? [`${handedOver} handed over to others`] : [])];
  return changes.length === 0 ? undefined : info(`${held} of ${of} actors here: ${changes.join(', ')}`);
};
const storesText = (stores: readonly NeededStore[]): string => stores.map(({ store, to }) => `store '${store}' at version ${to}`).join(', ');
const staysText = ({ instanceId, ms }: { readonly instanceId: string; readonly ms: number }): string =>
  `. Its partitions wait ${(ms / 1000).toFixed(ms % 1000 === 0 ? 0 : 1)} s for '${instanceId}' to come back`;

/** `CODE  problem: remedy`; control characters in quoted data are escaped, so that they do not reach the terminal. */
export const sentence = (error: Error): string => printable(isStoplogError(error) ? `${error.code}  ${error.message}` : `${error.name}: ${error.message}`);
