/**
 * A second model: computed from the records that were sent, in the order in which they were sent, and not from the log.
 *
 * The model holds only when everything is done. A log that had lost, doubled or changed a record in a way on which all its
 * readers agree would deceive the model that reads the log; this one uses no offset, no partition and no position.
 */
import type { Event } from '../history/history.ts';
import type { Fault } from './fault.ts';
import { compare, entry, groupOf, line, stored, type FinalRecord, type FinalState, type Value } from './model-checker.ts';

/** The values sent to a topic, each once: a repetition is the same record. */
export const inputOf = (events: readonly Event[], topic: string): readonly string[] => [
  ...new Set(events.flatMap((event) => (event.op === 'send' && event.type === 'invoke' && event.topic === topic ? Object.values(event.values).flat() : []))),
];

export const checkFromInput = (input: readonly string[], final: FinalState): readonly Fault[] => {
  const counts = new Map<string, number>();
  const sums = new Map<string, { readonly count: number; readonly sum: number }>();
  const copies: FinalRecord[] = [];
  const rekeyed: string[] = [];
  for (const text of input) {
    const value = JSON.parse(text) as Value;
    const group = groupOf(value);
    const { count, sum } = sums.get(group) ?? { count: 0, sum: 0 };
    counts.set(value.key, (counts.get(value.key) ?? 0) + 1);
    sums.set(group, { count: count + 1, sum: sum + value.n });
    copies.push({ key: value.key, text, offset: copies.length });
    rekeyed.push(`${group} ${text}`);
  }
  return [
    ...compare('output', 'copies, key by key', keyByKey(final.copies.flat()), keyByKey(copies)),
    ...compare('output', 'by-group, from the input', final.byGroup.flatMap(({ records }) => records.map(line)).sort(), rekeyed.sort()),
    ...compare('store', 'per-key, from the input', final.perKey.flat().map(entry).sort(), stored(counts).toSorted()),
    ...compare('store', 'per-group, from the input', final.perGroup.flat().map(entry).sort(), stored(sums).toSorted()),
  ];
};
/** A sort that keeps the records of a key in their order. */
const keyByKey = (records: readonly FinalRecord[]): readonly string[] => records.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(line);
