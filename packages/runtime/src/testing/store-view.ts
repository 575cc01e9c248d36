/** Reads a store of a driven or simulated pipeline, over all its partitions. */
import type { StateStore } from '@stoplog/core/port';
import { type AnyStore, compareBytes, decodeSortKey, encodeSortKey } from '@stoplog/core/kit';
import type { DrivenStore } from './driver.ts';

/** A view of all parts of a store; each key is in one part only. */
export const viewOf = <K, V>({ valueSerde }: AnyStore, parts: readonly StateStore[]): DrivenStore<K, V> => {
  // The declared type of a store is the type that its serde decodes.
  const valueOf = (bytes: Uint8Array): V => valueSerde.decode(bytes) as V;
  return {
    get: (key) => {
      const bytes = parts.map((part) => part.get(encodeSortKey(key))).find((found) => found !== undefined);
      return bytes && valueOf(bytes);
    },
    range: ({ gte, lt } = {}) => {
      const bounds = { ...(gte === undefined ? {} : { gte: encodeSortKey(gte) }), ...(lt === undefined ? {} : { lt: encodeSortKey(lt) }) };
      const entries = parts.flatMap((part) => part.range(bounds, Infinity)).sort(([a], [b]) => compareBytes(a, b));
      return entries.map(([key, value]) => [decodeSortKey(key) as K, valueOf(value)] as const);
    },
  };
};
