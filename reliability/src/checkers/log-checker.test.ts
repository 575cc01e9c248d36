import { describe, expect, test } from 'vitest';
import { parseHistory, type Event } from '../history/history.ts';
import { checkLog, type FinalTopic } from './log-checker.ts';

/** Partition 0 of topic 't', and the values that each call of a producer sent to it. */
const sent = (process: string, call: number, ...values: readonly string[]): Event => ({
  type: 'invoke',
  op: 'send',
  process,
  call,
  topic: 't',
  values: { 0: values },
});
const acked = (process: string, call: number, offset: number): Event => ({ type: 'ok', op: 'send', process, call, offsets: { 0: offset } });
const failed = (process: string, call: number): Event => ({ type: 'fail', op: 'send', process, call, reason: 'no' });
const polled = (from: number, ...records: readonly [number, string][]): Event => ({
  type: 'ok',
  op: 'poll',
  process: 'r',
  topic: 't',
  partition: 0,
  from,
  records,
});
const drained: Event = { type: 'ok', op: 'drained', process: 'r', topic: 't' };
const holds = (...records: readonly [number, string][]): ReadonlyMap<string, FinalTopic> => new Map([['t', [records]]]);
const kinds = (events: readonly Event[], final: ReadonlyMap<string, FinalTopic>): readonly string[] => [
  ...new Set(checkLog(events, final).faults.map(({ kind }) => kind)),
];

const twoSends = [sent('p', 1, 'a', 'b'), acked('p', 1, 0), sent('p', 2, 'c'), acked('p', 2, 2)];

describe('a history without a fault', () => {
  test('an acknowledged record is at its acknowledged offset', () => {
    expect(checkLog(twoSends, holds([0, 'a'], [1, 'b'], [2, 'c']))).toEqual({ faults: [], acknowledged: 3, inDoubt: 0, polled: 0 });
  });
  test('an unanswered commit may be there, whole, or not at all', () => {
    const events = [...twoSends, sent('p', 3, 'd', 'e')];
    for (const final of [holds([0, 'a'], [1, 'b'], [2, 'c']), holds([0, 'a'], [1, 'b'], [2, 'c'], [3, 'd'], [4, 'e'])])
      expect(checkLog(events, final)).toMatchObject({ faults: [], acknowledged: 3, inDoubt: 2 });
  });
  test('a failed or unanswered commit is sent again, in the same order', () => {
    expect(kinds([sent('p', 1, 'a', 'b'), failed('p', 1), sent('p', 2, 'a', 'b'), acked('p', 2, 0)], holds([0, 'a'], [1, 'b']))).toEqual([]);
    expect(kinds([sent('p', 1, 'a', 'b', 'c'), sent('q', 1, 'a', 'b'), acked('q', 1, 0)], holds([0, 'a'], [1, 'b']))).toEqual([]);
  });
  test('a failed commit is not there', () => expect(kinds([sent('p', 1, 'a'), failed('p', 1)], holds())).toEqual([]));
  test('a reader continues from poll to poll, over offsets without records, to the end', () => {
    const gaps = [sent('p', 1, 'a'), acked('p', 1, 0), sent('p', 2, 'c'), acked('p', 2, 7)];
    expect(checkLog([...gaps, polled(0, [0, 'a']), polled(1, [7, 'c']), drained], holds([0, 'a'], [7, 'c']))).toMatchObject({ faults: [], polled: 2 });
  });
  test('a commit of a former owner is refused', () =>
    expect(
      kinds(
        [
          { type: 'fail', op: 'commit', process: 'old', what: 'epoch 1', stale: true },
          { type: 'ok', op: 'commit', process: 'new', what: 'epoch 2', stale: false },
        ],
        holds(),
      ),
    ).toEqual([]));
  test('a last line that was torn by a kill is ignored', () => expect(parseHistory(`${JSON.stringify(drained)}\n{"type":"ok","op":"se`)).toEqual([drained]));
});

describe('a history with a fault', () => {
  test('acknowledged and not there is lost', () => expect(kinds(twoSends, holds([0, 'a'], [1, 'b']))).toEqual(['lost']));
  test('a record that was acknowledged, not there when the next producer looked, and sent again to the same place is lost all the same', () =>
    expect(kinds([...twoSends, sent('q', 1, 'c'), acked('q', 1, 2)], holds([0, 'a'], [1, 'b'], [2, 'c']))).toEqual(['lost']));
  test('a value at two offsets is doubled', () => expect(kinds(twoSends, holds([0, 'a'], [1, 'b'], [2, 'c'], [3, 'c']))).toEqual(['doubled']));
  test('a value at another offset than the acknowledged one is inconsistent', () =>
    expect(kinds(twoSends, holds([0, 'a'], [1, 'b'], [5, 'c']))).toEqual(['inconsistent offset']));
  test('two values at one offset are inconsistent', () =>
    expect(kinds([...twoSends, sent('q', 1, 'd')], holds([0, 'a'], [1, 'b'], [2, 'c'], [2, 'd']))).toEqual(['inconsistent offset']));
  test('a value that was never sent is a phantom', () => expect(kinds(twoSends, holds([0, 'a'], [1, 'b'], [2, 'c'], [3, 'x']))).toEqual(['phantom']));
  test('a failed value that is there is an aborted read', () => expect(kinds([sent('p', 1, 'a'), failed('p', 1)], holds([0, 'a']))).toEqual(['aborted read']));
  test('the records of a producer in another order are reordered', () => {
    expect(kinds([sent('p', 1, 'a'), sent('p', 2, 'b')], holds([0, 'b'], [1, 'a']))).toEqual(['reordered']);
    expect(kinds([sent('p', 1, 'a'), sent('q', 1, 'b')], holds([0, 'b'], [1, 'a']))).toEqual([]);
  });
  test('offsets that fall are reordered', () => expect(kinds(twoSends, holds([1, 'b'], [0, 'a'], [2, 'c']))).toContain('reordered'));
  test('a part of an unanswered commit is torn, even when another producer sends the rest', () =>
    expect(kinds([sent('p', 1, 'a', 'b'), sent('q', 1, 'b'), acked('q', 1, 1)], holds([0, 'a'], [1, 'b']))).toEqual(['torn']));
  test('a part of an unanswered commit is torn', () => expect(kinds([sent('p', 1, 'a', 'b')], holds([0, 'a']))).toEqual(['torn']));
  test('a reader that goes past a record has skipped it', () =>
    expect(kinds([...twoSends, polled(0, [0, 'a'], [2, 'c'])], holds([0, 'a'], [1, 'b'], [2, 'c']))).toEqual(['skipped']));
  test('a reader that gets an offset again is not monotonic', () =>
    expect(kinds([...twoSends, polled(0, [0, 'a'], [1, 'b']), polled(1, [1, 'b'])], holds([0, 'a'], [1, 'b'], [2, 'c']))).toEqual(['non-monotonic poll']));
  test('a value that was read and is gone is an aborted read', () =>
    expect(kinds([...twoSends, polled(3, [3, 'd'])], holds([0, 'a'], [1, 'b'], [2, 'c']))).toEqual(['aborted read']));
  test('a record that was read with another value is inconsistent', () =>
    expect(kinds([...twoSends, polled(2, [2, 'x'])], holds([0, 'a'], [1, 'b'], [2, 'c']))).toEqual(['inconsistent offset']));
  test('a reader that stops before the end has not seen the tail', () => {
    expect(kinds([...twoSends, polled(0, [0, 'a'], [1, 'b']), drained], holds([0, 'a'], [1, 'b'], [2, 'c']))).toEqual(['unseen tail']);
    expect(kinds([...twoSends, drained], holds([0, 'a'], [1, 'b'], [2, 'c']))).toEqual(['unseen tail']);
  });
  test('an accepted commit of a former owner is stale', () =>
    expect(kinds([{ type: 'ok', op: 'commit', process: 'old', what: 'epoch 1', stale: true }], holds())).toEqual(['stale commit']));
});
