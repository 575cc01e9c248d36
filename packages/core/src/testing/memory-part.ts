/**
 * A partition's part of a store in a memory log: a map, read as every log's store is read.
 *
 * Keys are kept as latin-1 text, which sorts as their bytes do. Bytes are copied on the way in and on the way out, so neither
 * side can change the other's bytes.
 */
import type { StateStore } from '../port/state-store.ts';

export interface PartWrites {
  readonly keys: readonly Uint8Array[];
  /** A value for each key; `null` deletes. */
  readonly values: readonly (Uint8Array | null)[];
}

export class MemoryPart implements StateStore {
  readonly #entries = new Map<string, Uint8Array>();

  get size(): number {
    return this.#entries.size;
  }
  get(key: Uint8Array): Uint8Array | undefined {
    const value = this.#entries.get(keyName(key));
    return value && copyOf(value);
  }
  range({ gte, gt, lt }: Parameters<StateStore['range']>[0], limit: number): readonly (readonly [Uint8Array, Uint8Array])[] {
    const [from, after, end] = [gte, gt, lt].map((bound) => (bound === undefined ? undefined : keyName(bound)));
    return [...this.#entries]
      .filter(([key]) => (from === undefined || key >= from) && (after === undefined || key > after) && (end === undefined || key < end))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([key, value]) => [copyOf(Buffer.from(key, 'latin1')), copyOf(value)] as const);
  }
  write({ keys, values }: PartWrites): void {
    for (const [i, key] of keys.entries()) {
      const value = values[i] ?? null;
      if (value === null) this.#entries.delete(keyName(key));
      else this.#entries.set(keyName(key), copyOf(value));
    }
  }
  /** Writes and returns the writes that restore the state before. */
  exchange(writes: PartWrites): PartWrites {
    const before = { keys: writes.keys, values: writes.keys.map((key) => this.get(key) ?? null) };
    this.write(writes);
    return before;
  }
}

export const keyName = (key: Uint8Array): string => Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
/** Not `slice()`, which copies a Uint8Array and does not copy a Buffer. */
export const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);
