import { expect, test } from 'vitest';
import type { Event } from '../history/history.ts';
import { checkFromInput, inputOf } from './input-order.ts';
import { groupOf, type FinalState, type StoreContent } from './model-checker.ts';

const hex = (text: string): string => Buffer.from(text).toString('hex');
const content = (entries: Readonly<Record<string, unknown>>): StoreContent =>
  Object.entries(entries).map(([key, value]) => [`20${hex(key)}`, hex(JSON.stringify(value))]);
const values = [
  { key: 'a', n: 0 },
  { key: 'a1', n: 0 },
  { key: 'a', n: 1 },
];
const input = values.map((value) => JSON.stringify(value));
const records = values.map((value, offset) => ({ offset, key: value.key, text: JSON.stringify(value) }));
const rekeyed = values.map((value, offset) => ({ offset, key: groupOf(value), text: JSON.stringify(value) }));
/** Two partitions: the partition of each record does not matter here. */
const good: FinalState = {
  numbers: [],
  copies: [[records[0]!, records[2]!], [records[1]!]],
  byGroup: [
    { records: [rekeyed[2]!], position: 1 },
    { records: [rekeyed[0]!, rekeyed[1]!], position: 2 },
  ],
  totals: [],
  perKey: [content({ a: 2 }), content({ a1: 1 })],
  perGroup: [content({ g1: { count: 1, sum: 1 } }), content({ g0: { count: 2, sum: 0 } })],
};
const kinds = (changes: Partial<FinalState>, sent = input): readonly string[] =>
  checkFromInput(sent, { ...good, ...changes }).map(({ kind, what }) => `${kind} ${what.split(/[:, ]/)[0]}`);

test('a value that was sent twice is one record of the input', () => {
  const sent = (call: number, ...texts: readonly string[]): Event => ({ type: 'invoke', op: 'send', process: 'p', call, topic: 't', values: { 0: texts } });
  expect(inputOf([sent(1, 'a', 'b'), sent(2, 'b', 'c'), { ...sent(3, 'x'), topic: 'other' } as Event], 't')).toEqual(['a', 'b', 'c']);
});
test('the order of the input alone gives the expected state', () => expect(kinds({})).toEqual([]));
test('a record that both log and outputs have lost, doubled or changed is found all the same', () => {
  expect(kinds({}, [...input, JSON.stringify({ key: 'a1', n: 1 })])).toEqual(['output copies', 'output by-group', 'store per-key', 'store per-group']);
  expect(kinds({}, input.slice(1))).toEqual(['output copies', 'output by-group', 'store per-key', 'store per-group']);
});
test('the order of a key is checked, and stores are checked to the byte', () => {
  expect(kinds({ copies: [[records[2]!, records[0]!], [records[1]!]] })).toEqual(['output copies']);
  expect(kinds({ perKey: [content({ a: 2 }), content({ a1: 2 })] })).toEqual(['store per-key']);
  expect(kinds({ perGroup: [content({ g1: { sum: 1, count: 1 } }), content({ g0: { count: 2, sum: 0 } })] })).toEqual(['store per-group']);
});
