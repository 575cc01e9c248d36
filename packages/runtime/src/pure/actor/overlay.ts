/**
 * A store as the batch in progress sees it: its own writes first, then the writes of commits under way, then the committed values.
 *
 * An entry that was read or written stays in memory, decoded, and is encoded once per commit however often it changed: hot keys cost
 * little. Committed entries may be dropped; two generations decide which. An entry that is read moves to the young generation; when the
 * young one is full it becomes the old one, and the old one is dropped, except for entries that are not committed yet.
 */
import { StoplogError } from '@stoplog/core';
import type { StateStore } from '@stoplog/core/port';
import { checkSettings, compareBytes, decodeSortKey, encodeSortKey, type Known, MAX_STORE_KEY_BYTES, type Serde } from '@stoplog/core/kit';
import { copyOfBytes, freezeDeep } from '../nodes/shared-value.ts';
import { KeyMap } from './key-map.ts';
import { PendingIndex, type ByteBounds, type Pending } from './pending-index.ts';

interface Entry {
  readonly key: unknown;
  keyBytes: Uint8Array | undefined;
  /** The value, or `unread` while only its bytes are known. */
  value: unknown;
  bytes: Uint8Array | null;
  /** Written since the last commit was cut. */
  dirty: boolean;
  /** The last commit that carries it; 0 when none does. */
  commit: number;
  /** The bytes of the key. */
  readonly keySize: number;
  /** The bytes of the value: an estimate while it is decoded. */
  size: number;
}
const unread = Symbol('unread');

export interface KeyBounds {
  readonly gte?: unknown;
  readonly gt?: unknown;
  readonly lt?: unknown;
}

const BOUNDS: Known<KeyBounds> = { gte: true, gt: true, lt: true };

export interface Writes {
  readonly keys: readonly Uint8Array[];
  readonly values: readonly (Uint8Array | null)[];
}

/** Entries of one generation; a store part keeps two generations in memory. */
export const GENERATION_ENTRIES = 100_000;
/** Bytes of keys and values in one generation, if the heap has room for them: a hundred thousand values of 100 KB would be 10 GB. */
export const GENERATION_BYTES: number = 32 * 1024 * 1024;
/** The bytes of an entry beside its key and value. */
const ENTRY_BYTES = 100;
const LONG_KEY_BYTES = 1_000;

export class StoreOverlay {
  readonly #below: StateStore;
  readonly #serde: Serde<unknown>;
  readonly #limit: number;
  readonly #byteLimit: number;
  #young = new KeyMap<Entry>();
  #old = new KeyMap<Entry>();
  #dirty: Entry[] = [];
  #committed = 0;
  #youngBytes = 0;
  #dirtyBytes = 0;
  /** Entries that differ from the store below; made by the first `range`. */
  #pending: PendingIndex<Entry & Pending> | undefined;

  constructor(below: StateStore, serde: Serde<unknown>, limit: number = GENERATION_ENTRIES, byteLimit: number = GENERATION_BYTES) {
    this.#below = below;
    this.#serde = serde;
    this.#limit = limit;
    this.#byteLimit = byteLimit;
  }

  /** The value, or undefined: frozen, or the caller's own. */
  get(key: unknown): unknown {
    return this.#valueOf(this.#find(key));
  }
  /**
   * At most `limit` entries with gte ≤ key < lt (or gt < key), in the order of their key bytes: the entries of the store below, changed
   * by the writes that are not in it yet. For the next page, call again from the last key.
   */
  range(within: KeyBounds, limit: number): readonly (readonly [unknown, unknown])[] {
    checkSettings('range(…)', within, BOUNDS);
    const { gte, gt, lt } = within;
    const bounds: ByteBounds = {
      ...(gte === undefined ? {} : { gte: encodeSortKey(gte) }),
      ...(gt === undefined ? {} : { gt: encodeSortKey(gt) }),
      ...(lt === undefined ? {} : { lt: encodeSortKey(lt) }),
    };
    this.#pending ??= this.#index();
    const writes = this.#pending.between(bounds);
    const found: (readonly [unknown, unknown])[] = [];
    let page = this.#below.range(bounds, limit);
    for (let [i, j] = [0, 0]; found.length < limit;) {
      // Deletions may have removed all entries of a page.
      if (i === page.length && page.length === limit) {
        page = this.#below.range({ ...bounds, gt: page.at(-1)![0] }, limit);
        i = 0;
      }
      const [kept, write] = [page[i], writes[j]];
      if (kept === undefined && write === undefined) break;
      const order = kept === undefined ? 1 : write === undefined ? -1 : compareBytes(kept[0], write.keyBytes);
      if (order <= 0) i++;
      if (order < 0) found.push([decodeSortKey(kept![0]), this.#serde.decode(kept![1])]);
      else {
        j++;
        const value = this.#valueOf(write!);
        if (value !== undefined) found.push([write!.key, value]);
      }
    }
    return found;
  }
  /** Freezes the value. A value that cannot be frozen is encoded at once, so that a later change of it has no effect. */
  set(key: unknown, value: unknown): void {
    const size = freezeDeep(value);
    if (size < 0) return this.setBytes(key, copyOfBytes(this.#encoded(value)));
    const entry = this.#touch(key);
    entry.value = value;
    entry.bytes = null;
    this.#resize(entry, size);
    this.#mark(entry);
  }
  /** Sets a value by its bytes, which are decoded on the first read. */
  setBytes(key: unknown, bytes: Uint8Array): void {
    const entry = this.#touch(key);
    entry.value = unread;
    entry.bytes = bytes;
    this.#resize(entry, bytes.length);
    this.#mark(entry);
  }
  delete(key: unknown): void {
    this.set(key, undefined);
  }

  /** Roughly the bytes of the keys and values written since the last call of `takeWrites`. */
  get dirtyBytes(): number {
    return this.#dirtyBytes;
  }
  /** True after a write since the last call of `takeWrites`. */
  get isDirty(): boolean {
    return this.#dirty.length > 0;
  }
  /** The writes since the last call, each key once, for the commit of that number. */
  takeWrites(commit: number): Writes {
    const dirty = this.#dirty;
    this.#dirty = [];
    this.#dirtyBytes = 0;
    const keys: Uint8Array[] = Array.from({ length: dirty.length });
    const values: (Uint8Array | null)[] = Array.from({ length: dirty.length });
    for (let i = 0; i < dirty.length; i++) {
      const entry = dirty[i]!;
      keys[i] = entry.keyBytes ??= storeKey(entry.key);
      const bytes = (values[i] = this.#encode(entry));
      entry.dirty = false;
      // The estimate looked at a part of a large value; its encoded bytes are counted in full.
      this.#resize(entry, Math.max(entry.size, bytes?.length ?? 0));
      entry.commit = commit;
    }
    return { keys, values };
  }
  /** Commits up to this number are in the store below. */
  onCommitted(commit: number): void {
    this.#committed = commit;
    this.#pending?.keep((entry) => this.#isPending(entry));
  }

  #valueOf(entry: Entry): unknown {
    if (entry.value !== unread) return entry.value;
    const value = entry.bytes === null ? undefined : this.#serde.decode(entry.bytes);
    // Only a frozen value is kept: each reader of another one gets its own copy.
    const size = freezeDeep(value);
    if (size < 0) return value;
    entry.value = value;
    if (!entry.dirty) entry.bytes = null;
    this.#resize(entry, Math.max(entry.size, size));
    return value;
  }
  #isPending({ dirty, commit }: Entry): boolean {
    return dirty || commit > this.#committed;
  }
  #index(): PendingIndex<Entry & Pending> {
    const pending = new Set([...this.#young.values(), ...this.#old.values()].filter((entry) => this.#isPending(entry)));
    return new PendingIndex([...pending].map(withKeyBytes));
  }
  #encode(entry: Entry): Uint8Array | null {
    if (entry.value === undefined) return null;
    if (entry.value === unread) return entry.bytes;
    return this.#encoded(entry.value);
  }
  #encoded(value: unknown): Uint8Array {
    const encoded = this.#serde.encode(value);
    return typeof encoded === 'string' ? Buffer.from(encoded) : encoded;
  }
  /** Counts the growth of the value. */
  #resize(entry: Entry, size: number): void {
    this.#youngBytes += Math.max(0, size - entry.size);
    if (entry.dirty) this.#dirtyBytes += size - entry.size;
    entry.size = size;
  }
  #mark(entry: Entry): void {
    if (!entry.dirty) {
      this.#dirtyBytes += entry.keySize + entry.size;
      if (this.#pending !== undefined && !this.#isPending(entry)) this.#pending.insert(withKeyBytes(entry));
      entry.dirty = true;
      this.#dirty.push(entry);
    }
    // Entries that are all in the young generation may have grown.
    if (this.#youngBytes > this.#byteLimit) this.#age();
  }
  /** The entry of a key, read from below when it is not in memory. */
  #find(key: unknown): Entry {
    const known = this.#recall(key);
    if (known !== undefined) return known;
    const keyBytes = storeKey(key);
    const bytes = this.#below.get(keyBytes) ?? null;
    return this.#remember({
      key: ownKey(key, keyBytes),
      keyBytes,
      value: bytes === null ? undefined : unread,
      bytes,
      dirty: false,
      commit: 0,
      keySize: sizeOfKey(key, keyBytes),
      size: bytes?.length ?? 0,
    });
  }
  /** The entry of a key that is about to be written, without reading it from below. */
  #touch(key: unknown): Entry {
    // A short key is encoded when it is committed; a long one now, because a key may be refused, and now its record can still be blamed.
    const keyBytes = isShort(key) ? undefined : storeKey(key);
    return (
      this.#recall(key) ??
      this.#remember({
        key: ownKey(key, keyBytes),
        keyBytes,
        value: undefined,
        bytes: null,
        dirty: false,
        commit: 0,
        keySize: sizeOfKey(key, keyBytes),
        size: 0,
      })
    );
  }
  #recall(key: unknown): Entry | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    return old === undefined ? undefined : this.#remember(old);
  }
  #remember(entry: Entry): Entry {
    if (this.#young.size >= this.#limit || this.#youngBytes > this.#byteLimit) this.#age();
    this.#youngBytes += ENTRY_BYTES + entry.keySize + entry.size;
    this.#young.set(entry.key, entry);
    return entry;
  }
  #age(): void {
    const kept = new KeyMap<Entry>();
    for (const entry of this.#old.values()) if (this.#isPending(entry)) kept.set(entry.key, entry);
    const old = this.#young;
    for (const entry of kept.values()) if (old.get(entry.key) === undefined) old.set(entry.key, entry);
    this.#old = old;
    this.#young = new KeyMap();
    this.#youngBytes = 0;
  }
}

const withKeyBytes = (entry: Entry): Entry & Pending => {
  entry.keyBytes ??= storeKey(entry.key);
  return entry as Entry & Pending;
};
const isShort = (key: unknown): boolean => (typeof key === 'string' ? key.length < LONG_KEY_BYTES : typeof key === 'number' || typeof key === 'boolean');

/** The bytes of a key; short texts are not encoded before they are committed. */
const sizeOfKey = (key: unknown, keyBytes: Uint8Array | undefined): number => keyBytes?.length ?? (typeof key === 'string' ? key.length : 0);

/** The key, or a copy if it is an object, which its owner may change later. */
const ownKey = (key: unknown, keyBytes: Uint8Array | undefined): unknown =>
  typeof key === 'object' && key !== null && keyBytes !== undefined ? decodeSortKey(keyBytes) : key;

/** The stored bytes of a key. A key that no log could keep is refused here, at the record that used it. */
const storeKey = (key: unknown): Uint8Array => {
  const bytes = encodeSortKey(key);
  if (bytes.length <= MAX_STORE_KEY_BYTES) return bytes;
  throw new StoplogError(
    'STOPLOG_KEY_TOO_LONG',
    { size: bytes.length, limit: MAX_STORE_KEY_BYTES },
    `a store's key of ${bytes.length} bytes is over the limit of ${MAX_STORE_KEY_BYTES}: key by an id or a hash, and keep the long text in the value`,
  );
};
