/**
 * A store's committed contents, read by the memory map: there is nothing to restore, and any thread may read.
 */
import { compareBytes } from '../../pure/bytes/sort-key.ts';
import { prefixEnd, storePrefix, unseal } from '../layout/keyspace.ts';
import type { StateStore, StorePart } from '../../port/state-store.ts';
import { peek, asLogError, type Env } from './env.ts';
import { check, refresh } from './seen.ts';
import { entryAt, HEAD_BYTES, storedKey, SHORT_KEY_BYTES, valueOf, type Entry } from './long-keys.ts';

const copyOf = (bytes: Uint8Array): Uint8Array => Uint8Array.prototype.slice.call(bytes);

export const openStateStore = (env: Env, storeId: number, part: StorePart): StateStore => {
  const prefix = storePrefix(storeId, part.partition);
  const facts = { store: part.store, partition: part.partition };
  // A buffer shared by all lookups, as large as the longest key so far: a get is a copy of the key, not an allocation.
  let scratch = Buffer.from(prefix);
  const short = (key: Uint8Array): Buffer => {
    const size = prefix.length + key.length;
    if (scratch.length < size) (scratch = Buffer.allocUnsafeSlow(2 * size)).set(prefix);
    scratch.set(key, prefix.length);
    return scratch.subarray(0, size);
  };
  const full = (key: Uint8Array): Buffer => Buffer.concat([prefix, key]);
  return {
    get(key) {
      const isShort = key.length <= SHORT_KEY_BYTES;
      const lookup = isShort ? short(key) : full(storedKey(key));
      try {
        check(env);
        const sealed = peek(env.tables.stores, lookup);
        if (sealed === undefined) return undefined;
        const value = unseal('stores', lookup, sealed, facts);
        return copyOf(isShort ? value : valueOf(key, lookup.subarray(prefix.length), value));
      } catch (error) {
        throw asLogError(env, error);
      }
    },
    range(bounds, limit) {
      try {
        refresh(env);
        return shortRange(bounds, limit) ?? longRange(bounds, limit);
      } catch (error) {
        throw asLogError(env, error);
      }
    },
  };

  /** Entries in the order of their stored keys, which is nearly always the order of the keys; undefined when a long key is met. */
  function shortRange({ gte, gt, lt }: Bounds, limit: number): readonly Entry[] | undefined {
    const from = gt ?? gte ?? new Uint8Array(0);
    if (from.length >= HEAD_BYTES || (lt !== undefined && lt.length >= HEAD_BYTES)) return undefined;
    const end = lt === undefined ? prefixEnd(prefix) : full(lt);
    const entries: Entry[] = [];
    // With `exclusiveStart` the last key of the previous chunk is not returned again.
    for (const { key, value } of env.tables.stores.getRange({ start: full(from), end, limit, snapshot: false, exclusiveStart: gt !== undefined })) {
      if (key.length - prefix.length >= HEAD_BYTES) return undefined;
      entries.push([Uint8Array.prototype.slice.call(key, prefix.length), copyOf(unseal('stores', key, value, facts))]);
    }
    return entries;
  }
  /** The range with keys of any length. A bound longer than the ordered part falls into a group: the group is read whole. */
  function longRange(bounds: Bounds, limit: number): readonly Entry[] {
    const { gte, gt, lt } = bounds;
    const from = gt ?? gte ?? new Uint8Array(0);
    const start = full(from.subarray(0, HEAD_BYTES));
    const end = lt === undefined ? prefixEnd(prefix) : lt.length < HEAD_BYTES ? full(lt) : prefixEnd(full(lt.subarray(0, HEAD_BYTES)));
    const found = new Found(bounds, limit);
    const exclusiveStart = gt !== undefined && gt.length < HEAD_BYTES;
    for (const { key, value } of env.tables.stores.getRange({ start, end, snapshot: false, exclusiveStart })) {
      if (found.isFull(key, prefix.length)) break;
      found.add(key, prefix.length, unseal('stores', key, value, facts));
    }
    return found.all();
  }
};

type Bounds = Parameters<StateStore['range']>[0];

/** Takes entries in the order in which they are stored, sorts them by their keys, and stops at a limit. */
class Found {
  readonly #bounds: Bounds;
  readonly #limit: number;
  readonly #entries: Entry[] = [];
  /** Entries whose keys begin with the same `HEAD_BYTES`: their order is known when all have come. */
  #group: Entry[] = [];
  #head: Uint8Array | undefined;

  constructor(bounds: Bounds, limit: number) {
    this.#bounds = bounds;
    this.#limit = limit;
  }
  /** True when the next entry, under this key, is one too many. */
  isFull(stored: Uint8Array, skip: number): boolean {
    if (this.#head !== undefined && !begins(stored, skip, this.#head)) this.#closeGroup();
    return this.#entries.length >= this.#limit;
  }
  add(stored: Uint8Array, skip: number, value: Uint8Array): void {
    if (stored.length - skip < HEAD_BYTES) {
      this.#entries.push([copyOf(stored.subarray(skip)), copyOf(value)]);
      return;
    }
    this.#head ??= copyOf(stored.subarray(skip, skip + HEAD_BYTES));
    const [key, rest] = entryAt(stored.subarray(skip), value);
    const { gte, gt, lt } = this.#bounds;
    const begun = gt === undefined ? gte === undefined || compareBytes(key, gte) >= 0 : compareBytes(key, gt) > 0;
    if (begun && (lt === undefined || compareBytes(key, lt) < 0)) this.#group.push([copyOf(key), copyOf(rest)]);
  }
  all(): readonly Entry[] {
    this.#closeGroup();
    return this.#entries;
  }
  #closeGroup(): void {
    this.#head = undefined;
    for (const entry of this.#group.sort(([a], [b]) => compareBytes(a, b))) if (this.#entries.length < this.#limit) this.#entries.push(entry);
    this.#group = [];
  }
}

const begins = (stored: Uint8Array, skip: number, head: Uint8Array): boolean =>
  stored.length - skip >= head.length && head.every((byte, i) => stored[skip + i] === byte);
