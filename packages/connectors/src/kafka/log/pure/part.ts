/**
 * The part of a store for one partition, in memory: a map for `get`, and its keys in byte order for `range`.
 *
 * Keys are held as latin-1 text, which sorts as the bytes do. The order is made when a range is asked for after a key was added.
 */
import type { StateStore } from '@stoplog/core/port';

export class Part implements StateStore {
  readonly #entries = new Map<string, Uint8Array>();
  #ordered: readonly string[] | undefined;

  put(key: Uint8Array, value: Uint8Array | null): void {
    const name = textOf(key);
    const isThere = this.#entries.has(name);
    if (value === null) this.#entries.delete(name);
    else this.#entries.set(name, Uint8Array.from(value));
    if (isThere !== (value !== null)) this.#ordered = undefined;
  }
  get(key: Uint8Array): Uint8Array | undefined {
    const value = this.#entries.get(textOf(key));
    return value && Uint8Array.from(value);
  }
  range({ gte, gt, lt }: Parameters<StateStore['range']>[0], limit: number): readonly (readonly [Uint8Array, Uint8Array])[] {
    const keys = (this.#ordered ??= [...this.#entries.keys()].sort(compare));
    const [from, above, below] = [gte, gt, lt].map((key) => (key === undefined ? undefined : textOf(key)));
    const begin = Math.max(from === undefined ? 0 : firstAt(keys, from, 0), above === undefined ? 0 : firstAt(keys, above, 1));
    const end = below === undefined ? keys.length : firstAt(keys, below, 0);
    return keys.slice(begin, Math.max(begin, Math.min(end, begin + limit))).map((key) => [bytesOf(key), Uint8Array.from(this.#entries.get(key)!)] as const);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** The index of the first key at or (`behind` 1) after this one. */
const firstAt = (keys: readonly string[], key: string, behind: 0 | 1): number => {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(keys[middle]!, key) < behind) low = middle + 1;
    else high = middle;
  }
  return low;
};
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
