/**
 * The log of an app on standard error: a line for each event that its operator needs, and none per record.
 */
import { isStoplogError } from '@stoplog/core';
import { printable } from '../pure/console/printable.ts';
import type { Plan } from '../pure/topology/plan.ts';
import type { AppEvent, Assigned } from './app.ts';

export type Told =
  | AppEvent
  | { readonly type: 'opened'; readonly topicsCreated: number }
  /** `stays`: a static member, and the time in ms for which its partitions wait for its return. */
  | { readonly type: 'draining'; readonly stays?: { readonly instanceId: string; readonly ms: number } | undefined };
export type Teller = (event: Told) => void;

export const tellConsole = (plan: Plan, write: (line: string) => void = (line) => process.stderr.write(`${line}\n`)): Teller => {
  let held = 0;
  let before = 0;
  return (event) => {
    if (event.type === 'assigned') [before, held] = [held, event.held];
    const line = lineOf(event, plan.name, before, held);
    if (line !== undefined) write(line);
  };
};

const lineOf = (event: Told, name: string, before: number, held: number): string | undefined => {
  switch (event.type) {
    case 'waiting':
      return `stoplog   ${name}   waiting: other processes run this pipeline on this log, and have all its partitions`;
    case 'assigned':
      return before === 0 && held === event.of ? undefined : assignedText(event, name);
    case 'draining':
      return `stoplog   ${name}   draining ${held} actors; a second signal ends at once${event.stays === undefined ? '' : staysText(event.stays)}`;
    case 'restarting':
      return `stoplog   ${name}   task ${event.actor.task}[${event.actor.partition}] failed, again in ${(event.afterMs / 1000).toFixed(1)} s: ${sentence(event.error)}`;
    case 'reset': {
      const { topic, partition, from, to } = event.jump;
      return `stoplog   ${name}   ${topic}[${partition}] no longer keeps the records from offset ${from}: task ${event.actor.task} resumes at ${to}. Keep them longer (retention), or run with reset: 'fail' to stop instead`;
    }
    case 'given-up':
      return `stoplog   ${name}   task ${event.actor.task}[${event.actor.partition}] stopped after repeated failures; the other partitions continue: ${sentence(event.error)}`;
    case 'fatal':
      return `stoplog   ${name}   ${sentence(event.error)}`;
    case 'cleaning':
      return `stoplog   ${name}   ${event.line}`;
    case 'opened':
    case 'ended':
    case 'running':
    case 'progress':
      return undefined;
  }
};

/** `5 of 11 actors here: 6 handed over to others`; undefined when no actor moved. */
const assignedText = ({ taken, handedOver, held, of }: Assigned, name: string): string | undefined => {
  const changes = [...(taken > 0 ? [`${taken} taken`] : []), ...(handedOver > 0 ? [`${handedOver} handed over to others`] : [])];
  return changes.length === 0 ? undefined : `stoplog   ${name}   ${held} of ${of} actors here: ${changes.join(', ')}`;
};
const staysText = ({ instanceId, ms }: { readonly instanceId: string; readonly ms: number }): string =>
  `. Its partitions wait ${(ms / 1000).toFixed(ms % 1000 === 0 ? 0 : 1)} s for '${instanceId}' to come back`;

/** `CODE  problem: remedy`; control characters in quoted data are escaped, so that they do not reach the terminal. */
export const sentence = (error: Error): string => printable(isStoplogError(error) ? `${error.code}  ${error.message}` : `${error.name}: ${error.message}`);
