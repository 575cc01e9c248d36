import { describe, expect, test } from 'vitest';
import { begin, type Beginning, type Trial } from './trial.ts';

/** Processes of one partition: each begins at a position, is tried or not if it is a suspect, and dies. */
const lived = (...processes: readonly { readonly at: string; readonly hasRecords?: boolean; readonly isTried?: boolean }[]): readonly Beginning['type'][] => {
  let trial: Trial | undefined;
  return processes.map(({ at, hasRecords = true, isTried = true }) => {
    const [next, beginning] = begin(trial, at, hasRecords);
    trial = beginning.type === 'suspect' && isTried ? { ...next, state: 'tried' } : next;
    return beginning.type;
  });
};
const at = (...positions: readonly string[]): readonly { readonly at: string }[] => positions.map((one) => ({ at: one }));

describe('a partition whose process died', () => {
  test('a record that ends processes is tried alone until it has ended two of them', () => {
    // 7 is the record: the third process finds it among the records from 5 on.
    expect(lived(...at('0', '5', '5', '7', '7'))).toEqual(['normal', 'normal', 'suspect', 'suspect', 'failed']);
  });
  test('processes that are killed while they make progress begin as usual', () => {
    expect(lived(...at('0', '5', '9', '20'))).toEqual(['normal', 'normal', 'normal', 'normal']);
  });
  test('a suspect that is killed at another record each time never fails', () => {
    expect(lived(...at('0', '0', '3', '4', '8'))).toEqual(['normal', 'suspect', 'suspect', 'suspect', 'suspect']);
  });
  test('a suspect that only waited for others is not blamed, however often they died', () => {
    expect(lived(...['0', '0', '0', '0', '0'].map((one) => ({ at: one, isTried: false })))).toEqual(['normal', 'suspect', 'suspect', 'suspect', 'suspect']);
  });
  test('a partition without records to read is not to blame', () => {
    expect(lived({ at: '5' }, { at: '5', hasRecords: false }, { at: '5', hasRecords: false }, { at: '5' })).toEqual(['normal', 'normal', 'normal', 'suspect']);
  });
});
