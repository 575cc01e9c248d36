import { describe, expect, test } from 'vitest';
import { begin, type Beginning, type Trial } from './trial.ts';

/** The beginnings of processes, each of which dies after it has committed up to the next position. */
const lived = (...positions: readonly (readonly [string, boolean?])[]): readonly Beginning['type'][] => {
  let trial: Trial | undefined;
  return positions.map(([at, hasRecords = true]) => {
    const [next, beginning] = begin(trial, at, hasRecords);
    trial = next;
    return beginning.type;
  });
};

describe('a partition whose process died', () => {
  test('a process that dies at a record is followed by careful ones, until the record has ended two of those', () => {
    // 7 is the record: the third process finds it among the records from 5 on.
    expect(lived(['0'], ['5'], ['5'], ['7'], ['7'])).toEqual(['normal', 'normal', 'careful', 'careful', 'failed']);
  });
  test('processes that are killed while they make progress begin as usual', () => {
    expect(lived(['0'], ['5'], ['9'], ['20'])).toEqual(['normal', 'normal', 'normal', 'normal']);
  });
  test('a process that is killed carefully at another record each time never fails its partition', () => {
    expect(lived(['0'], ['0'], ['3'], ['4'], ['8'])).toEqual(['normal', 'careful', 'careful', 'careful', 'careful']);
  });
  test('a partition without records to read is not to blame', () => {
    expect(lived(['5'], ['5', false], ['5', false], ['5'])).toEqual(['normal', 'normal', 'normal', 'careful']);
  });
  test('each careful beginning comes later than the one before, so that the neighbours get ahead', () => {
    const [first, careful] = begin({ at: '5', isCareful: false, deaths: 0 }, '5', true);
    expect(careful).toEqual({ type: 'careful', afterMs: 1_000 });
    expect(begin(first, '7', true)[1]).toEqual({ type: 'careful', afterMs: 2_000 });
  });
});
