/**
 * A StateStore is one partition's part of a store, as of the last commit.
 *
 * A StateStore only reads. Writes travel in a `Commit`, so that state, outputs and positions change together; the writes of a batch in
 * progress are in the runtime's overlay, above this. Reads are synchronous: verbs are, and LMDB's map is memory.
 */
export type { StorePart } from '../pure/store/store-part.ts';

export interface StateStore {
  /** The value as it was committed; the bytes are the caller's. A damaged value throws `STOPLOG_LOG_CORRUPT`. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** At most `limit` entries with gte ≤ key < lt, in order of key bytes. Call again from the last key to continue: no snapshot is held between. */
  range(
    bounds: { readonly gte?: Uint8Array; readonly gt?: Uint8Array; readonly lt?: Uint8Array },
    limit: number,
  ): readonly (readonly [Uint8Array, Uint8Array])[];
}
