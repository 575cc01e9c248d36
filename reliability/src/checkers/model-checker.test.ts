import { describe, expect, test } from 'vitest';
import { checkModel, groupOf, type FinalRecord, type FinalState, type StoreContent } from './model-checker.ts';

const hex = (text: string): string => Buffer.from(text).toString('hex');
const record = (offset: number, key: string, value: unknown): FinalRecord => ({ offset, key, text: JSON.stringify(value) });
const content = (entries: Readonly<Record<string, unknown>>): StoreContent =>
  Object.entries(entries).map(([key, value]) => [`20${hex(key)}`, hex(JSON.stringify(value))]);
const values = [
  { key: 'a', n: 0 },
  { key: 'a', n: 17 },
  { key: 'b', n: 1 },
];
/** A partition of each topic; all three are read, the first two are summed. */
const good: FinalState = {
  numbers: [{ records: values.map((value, i) => record(i, value.key, value)), position: 3 }],
  copies: [values.map((value, i) => record(i, value.key, value))],
  byGroup: [{ records: values.map((value, i) => record(i, groupOf(value), value)), position: 2 }],
  totals: [[record(0, 'g0', { count: 1, sum: 0 }), record(1, 'g0', { count: 2, sum: 17 })]],
  perKey: [content({ a: 2, b: 1 })],
  perGroup: [content({ g0: { count: 2, sum: 17 } })],
};
const kinds = (changes: Partial<FinalState>): readonly string[] =>
  checkModel({ ...good, ...changes }).faults.map(({ kind, what }) => `${kind} ${what.split(/[:[ ]/)[0]}`);

describe('the model', () => {
  test('the model agrees with the state that an undisturbed pipeline leaves, also in the middle of its work', () => {
    expect(checkModel(good)).toEqual({ faults: [], appended: 3, taken: 3, between: 1 });
    expect(kinds({ totals: [[record(0, 'g0', { count: 2, sum: 17 })]] })).toEqual([]);
  });
  test('each output must be there once, in order, and none for a record that was not read', () => {
    expect(kinds({ copies: [good.copies[0]!.slice(1)] })).toEqual(['output copies']);
    expect(kinds({ copies: [[...good.copies[0]!, good.copies[0]![0]!]] })).toEqual(['output copies']);
    expect(kinds({ copies: [good.copies[0]!.toReversed()] })).toEqual(['output copies']);
    expect(kinds({ byGroup: [{ ...good.byGroup[0]!, records: good.byGroup[0]!.records.slice(0, 2) }] })).toEqual(['output by-group']);
    expect(kinds({ numbers: [{ ...good.numbers[0]!, position: 2 }] })).toEqual(['output copies', 'store per-key', 'output by-group']);
  });
  test('stores must be equal to the byte', () => {
    expect(kinds({ perKey: [content({ a: 3, b: 1 })] })).toEqual(['store per-key']);
    expect(kinds({ perKey: [content({ a: 2 })] })).toEqual(['store per-key']);
    expect(kinds({ perGroup: [content({ g0: { sum: 17, count: 2 } })] })).toEqual(['store per-group']);
  });
  test('a table must say the stored value last, and must never go back', () => {
    expect(kinds({ totals: [good.totals[0]!.slice(0, 1)] })).toEqual(['output totals']);
    expect(kinds({ totals: [good.totals[0]!.toReversed()] })).toEqual(['output totals', 'output totals']);
    expect(kinds({ totals: [[...good.totals[0]!, record(2, 'g9', { count: 1, sum: 1 })]] })).toEqual(['output totals']);
  });
});
