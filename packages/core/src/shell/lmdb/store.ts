/**
 * A store's committed contents, read by the memory map: there is nothing to restore, and any thread may look.
 */
import { prefixEnd, storePrefix, unseal } from '../../pure/log/keyspace.ts';
import type { StateStore, StorePart } from '../../port/state-store.ts';
import { peek, told, type Env } from './env.ts';

export const openStateStore = (env: Env, storeId: number, part: StorePart): StateStore => {
  const prefix = storePrefix(storeId, part.partition);
  const facts = { store: part.store, partition: part.partition };
  const full = (key: Uint8Array): Buffer => Buffer.concat([prefix, key]);
  // One buffer for every lookup: a get is a copy of the key, not an allocation.
  const scratch = Buffer.allocUnsafeSlow(4096);
  scratch.set(prefix);
  return {
    get(key) {
      const lookup = key.length + prefix.length <= scratch.length ? scratch.subarray(0, prefix.length + key.length) : full(key);
      if (lookup.buffer === scratch.buffer) scratch.set(key, prefix.length);
      try {
        const sealed = peek(env.tables.stores, lookup);
        if (sealed === undefined) return undefined;
        return Uint8Array.prototype.slice.call(unseal('stores', lookup, sealed, facts));
      } catch (error) {
        throw told(env, error);
      }
    },
    range(bounds, limit) {
      env.root.resetReadTxn();
      const start = full(bounds.gt ?? bounds.gte ?? new Uint8Array(0));
      const end = bounds.lt === undefined ? prefixEnd(prefix) : full(bounds.lt);
      const entries: (readonly [Uint8Array, Uint8Array])[] = [];
      // With `exclusiveStart` the key that the last chunk ended on is not seen again.
      try {
        for (const { key, value } of env.tables.stores.getRange({ start, end, limit, snapshot: false, exclusiveStart: bounds.gt !== undefined })) {
          entries.push([Uint8Array.prototype.slice.call(key, prefix.length), Uint8Array.prototype.slice.call(unseal('stores', key, value, facts))]);
        }
      } catch (error) {
        throw told(env, error);
      }
      return entries;
    },
  };
};
