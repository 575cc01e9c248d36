/** Parses the auto offset reset of a reader, and describes the reset of a group in sentences below its plan. */
import { type Millis, type Reset, StoplogError } from '@stoplog/core';
import type { ResetLine } from '@stoplog/core/tools';
import { grouped, oneLine } from '@stoplog/runtime/kit';
import { durationIn } from './duration-text.ts';

/** The auto offset reset of an option: a word, or a duration before now. */
export const resetIn = (text: string): Reset => {
  if (text === 'earliest' || text === 'latest' || text === 'fail') return text;
  try {
    return { ago: durationIn(text, 'reset') as Millis };
  } catch {
    throw new StoplogError(
      'STOPLOG_USAGE',
      { reset: text },
      `--reset '${oneLine(text)}' is no reset policy: give earliest, latest, a duration such as 2h, or fail`,
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
      ? 'nothing moves: the group is at these positions already, or would start at them'
      : `${moving.length} of ${plan.length} positions ${done}moved: ${sum(back)} records ${done}read again, ${sum(forth)} ${done}passed over`;
  return executed || moving.length === 0 ? what : `${what}. Nothing was changed; add --execute to do it`;
};

/**
 * The stores that a plan makes inconsistent. The store of a table (`table:TOPIC@GROUP`) depends on its topic alone, and stays
 * consistent unless that topic is moved. The log does not know on which topics another store depends, so any move may affect it.
 */
export const storesLeftBehind = (stores: readonly string[], plan: readonly ResetLine[]): readonly string[] => {
  const moved = new Set(plan.filter(({ moves }) => moves !== 0n).map(({ topic }) => topic));
  return stores.filter((store) => {
    const [, table] = /^table:([^@]+)/.exec(store) ?? [];
    return table === undefined ? moved.size > 0 : moved.has(table);
  });
};

/** A store is consistent with the positions at which it was folded; moving only the positions breaks that. */
export const storesText = (group: string, stores: readonly string[]): string => {
  const one = stores.length === 1;
  return (
    `${one ? 'store' : 'stores'} ${stores.join(', ')} ${one ? 'holds' : 'hold'} the state as of the old positions: records that are read again are folded in twice, skipped records are missing. ` +
    `To rebuild ${one ? 'it' : 'them'}, let the group start from nothing: 'stoplog groups delete ${group} --execute', then run the pipeline`
  );
};
