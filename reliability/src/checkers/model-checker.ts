/**
 * The model: the state that the flagship pipeline must have computed from its input, by one loop over plain records, without
 * any code of the product except the bytes that it left.
 *
 * The model holds whenever no process runs: for exactly the records before the committed position, the outputs are there, and
 * the stores are folded. Keys and values are compared as bytes.
 */
import type { Fault, FaultKind } from './fault.ts';

export interface FinalRecord {
  readonly offset: number;
  readonly key: string;
  /** The text as the log holds it. */
  readonly text: string;
}
export interface FinalPart {
  readonly records: readonly FinalRecord[];
  /** The offset of the first record that the pipeline has not processed. */
  readonly position: number;
}
/** Key and value as hexadecimal text, in the order of the keys. */
export type StoreContent = readonly (readonly [key: string, value: string])[];
export interface FinalState {
  readonly numbers: readonly FinalPart[];
  readonly copies: readonly (readonly FinalRecord[])[];
  readonly byGroup: readonly FinalPart[];
  readonly totals: readonly (readonly FinalRecord[])[];
  readonly perKey: readonly StoreContent[];
  readonly perGroup: readonly StoreContent[];
}
export interface Value {
  readonly key: string;
  readonly n: number;
}
interface Sum {
  readonly count: number;
  readonly sum: number;
}
export interface ModelVerdict {
  readonly faults: readonly Fault[];
  readonly appended: number;
  readonly taken: number;
  /** Rekeyed, and not yet summed. */
  readonly between: number;
}

export const groupOf = ({ n }: Value): string => `g${n % 17}`;

/** No fault, or one that says where two lists differ. */
export const compare = (kind: FaultKind, what: string, found: readonly string[], expected: readonly string[]): readonly Fault[] => {
  if (found.length === expected.length && found.every((one, i) => one === expected[i])) return [];
  const at = expected.findIndex((one, i) => one !== found[i]);
  const where = at < 0 ? expected.length : at;
  const how = `${found.length} instead of ${expected.length}; at ${where} ${found[where] ?? 'nothing'} instead of ${expected[where] ?? 'nothing'}`;
  return [{ kind, what: `${what}: ${how}` }];
};

export const checkModel = (final: FinalState): ModelVerdict => {
  const faults: Fault[] = [];
  const same = (...compared: Parameters<typeof compare>): void => void faults.push(...compare(...compared));
  const rekeyed: string[] = [];
  let [appended, taken] = [0, 0];
  final.numbers.forEach((part, partition) => {
    const read = part.records.filter(({ offset }) => offset < part.position);
    appended += part.records.length;
    taken += read.length;
    same('output', `copies[${partition}]`, (final.copies[partition] ?? []).map(line), read.map(line));
    const counts = new Map<string, number>();
    for (const { key, text } of read) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      rekeyed.push(`${groupOf(JSON.parse(text) as Value)} ${text}`);
    }
    same('store', `per-key[${partition}]`, (final.perKey[partition] ?? []).map(entry), stored(counts));
  });
  same('output', 'by-group', final.byGroup.flatMap(({ records }) => records.map(line)).sort(), rekeyed.sort());
  let between = 0;
  final.byGroup.forEach((part, partition) => {
    const read = part.records.filter(({ offset }) => offset < part.position);
    between += part.records.length - read.length;
    const sums = new Map<string, Sum>();
    for (const { key, text } of read) {
      const { count, sum } = sums.get(key) ?? { count: 0, sum: 0 };
      sums.set(key, { count: count + 1, sum: sum + (JSON.parse(text) as Value).n });
    }
    same('store', `per-group[${partition}]`, (final.perGroup[partition] ?? []).map(entry), stored(sums));
    checkTotals(`totals[${partition}]`, final.totals[partition] ?? [], sums, faults);
  });
  return { faults, appended, taken, between };
};

/**
 * A table emits each change, or several at once: counts only grow, no sum is impossible, and the last value is the stored
 * one.
 */
const checkTotals = (what: string, records: readonly FinalRecord[], sums: ReadonlyMap<string, Sum>, faults: Fault[]): void => {
  const last = new Map<string, Sum>();
  for (const { key, text } of records) {
    const now = JSON.parse(text) as Sum;
    const before = last.get(key);
    if (before !== undefined && now.count <= before.count) faults.push({ kind: 'output', what: `${what} ${key}: count ${now.count} after ${before.count}` });
    last.set(key, now);
  }
  for (const [key, sum] of sums) {
    const said = JSON.stringify(last.get(key));
    if (said !== JSON.stringify(sum)) faults.push({ kind: 'output', what: `${what} ${key}: last said ${said ?? 'nothing'}, but it is ${JSON.stringify(sum)}` });
  }
  for (const key of last.keys()) if (!sums.has(key)) faults.push({ kind: 'output', what: `${what} ${key}: said, though nothing of it was read` });
};

export const line = ({ key, text }: FinalRecord): string => `${key} ${text}`;
export const entry = ([key, value]: readonly [string, string]): string => `${key}=${value}`;
const hex = (text: string): string => Buffer.from(text).toString('hex');
/** A text key is its UTF-8 after the tag 0x20, a value is JSON. */
export const stored = (map: ReadonlyMap<string, unknown>): readonly string[] =>
  [...map]
    .map(([key, value]) => [`20${hex(key)}`, hex(JSON.stringify(value))] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(entry);
