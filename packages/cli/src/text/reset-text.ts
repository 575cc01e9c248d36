/** Resets in words: the policy of a reader, and what a reset of a group does, in the sentences below its plan. */
import { type Millis, type Reset, StoplogError } from '@stoplog/core';
import type { ResetLine } from '@stoplog/core/tools';
import { grouped, oneLine } from '@stoplog/runtime/kit';
import { durationIn } from './duration-text.ts';

/** A reset policy as an option says it: a word, or how long ago. */
export const resetIn = (text: string): Reset => {
  if (text === 'earliest' || text === 'latest' || text === 'fail') return text;
  try {
    return { ago: durationIn(text, 'reset') as Millis };
  } catch {
    throw new StoplogError(
      'STOPLOG_USAGE',
      { reset: text },
      `--reset '${oneLine(text)}' says not where to go on: give earliest, latest, a duration such as 2h, or fail`,
    );
  }
};

export const resetText = (plan: readonly ResetLine[], executed: boolean): string => {
  const moving = plan.filter(({ moves }) => moves !== 0n);
  const done = executed ? '' : 'would be ';
  const sum = (of: (line: ResetLine) => bigint): string => grouped(Number(moving.reduce((total, line) => total + of(line), 0n)));
  const forth = ({ moves }: ResetLine): bigint => (moves > 0n ? moves : 0n);
  const back = ({ moves }: ResetLine): bigint => (moves < 0n ? -moves : 0n);
  const what =
    moving.length === 0
      ? 'nothing moves: the group stands there already, or would begin there'
      : `${moving.length} of ${plan.length} positions ${done}moved: ${sum(back)} records ${done}read again, ${sum(forth)} ${done}passed over`;
  return executed || moving.length === 0 ? what : `${what}. Nothing was changed; add --execute to do it`;
};

/**
 * Which stores a plan makes wrong. A table's (`table:TOPIC@GROUP`) is made of its topic alone, and right as long as that is not moved; of
 * the others a log does not know which of the group's topics they are made of, so any move may be one of theirs.
 */
export const storesLeftBehind = (stores: readonly string[], plan: readonly ResetLine[]): readonly string[] => {
  const moved = new Set(plan.filter(({ moves }) => moves !== 0n).map(({ topic }) => topic));
  return stores.filter((store) => {
    const [, table] = /^table:([^@]+)/.exec(store) ?? [];
    return table === undefined ? moved.size > 0 : moved.has(table);
  });
};

/** Stores are right as of the positions they were folded at; moving only those breaks them. */
export const storesText = (group: string, stores: readonly string[]): string => {
  const one = stores.length === 1;
  return (
    `${one ? 'store' : 'stores'} ${stores.join(', ')} ${one ? 'holds' : 'hold'} what was folded up to the old positions: what is read again is folded in twice, what is passed over is missing. ` +
    `To rebuild ${one ? 'it' : 'them'}, let the group begin anew: 'stoplog groups delete ${group} --execute', then run the pipeline`
  );
};
