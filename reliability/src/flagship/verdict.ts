/** Runs all checkers on the final state of a flagship. */
import { isStoplogError } from '@stoplog/core';
import { checkClosedForm } from '../checkers/closed-form.ts';
import type { Fault } from '../checkers/fault.ts';
import { checkFromInput, inputOf } from '../checkers/input-order.ts';
import { checkLiveness } from '../checkers/liveness.ts';
import { checkLog } from '../checkers/log-checker.ts';
import { checkModel, type Value } from '../checkers/model-checker.ts';
import { readHistory } from '../history/witness.ts';
import { readFinal, type Final } from './final.ts';

export interface WholeVerdict {
  readonly faults: readonly Fault[];
  readonly records: number;
  readonly acknowledged: number;
  readonly inDoubt: number;
  readonly polled: number;
}
/** Every checker on the whole final state; with `quietMs`, all work must be done within that time of the last fault. */
export const judgeWhole = async (data: string, history: string, expected: number, quietMs: number | undefined): Promise<WholeVerdict> => {
  const final = await finalOf(data);
  if ('kind' in final) return { faults: [final], records: 0, acknowledged: 0, inDoubt: 0, polled: 0 };
  const { state, topics } = final;
  const events = readHistory(history);
  const { faults, acknowledged, inDoubt, polled } = checkLog(events, topics);
  const model = checkModel(state);
  const copied = state.copies.flatMap((records) =>
    records.map(({ text }): readonly [string, number] => {
      const { key, n } = JSON.parse(text) as Value;
      return [key, n];
    }),
  );
  const all: Fault[] = [...faults, ...model.faults, ...checkClosedForm('copies of', copied)];
  if (quietMs !== undefined) {
    all.push(...checkLiveness(events, quietMs), ...checkFromInput(inputOf(events, 'numbers'), state));
    if (copied.length !== expected) all.push({ kind: 'closed form', what: `${copied.length} copies of ${expected} records` });
  }
  return { faults: all, records: model.appended, acknowledged, inDoubt, polled };
};

/** The final state, or the fault that it cannot be read: an unreadable record is lost. */
export const finalOf = async (data: string): Promise<Final | Fault> => {
  try {
    return await readFinal(data);
  } catch (error) {
    if (!isStoplogError(error)) throw error;
    return { kind: 'lost', what: `the log cannot be read: ${error.message}` };
  }
};
