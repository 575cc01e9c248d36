/**
 * A store of a driven pipeline: a part for each partition, and all of them as one for the test that looks.
 */
import { compareBytes, decodeSortKey, encodeSortKey, type AnyStore, type StateStore } from '@stoplog/core/port';
import type { Writes } from '../pure/actor/overlay.ts';
import type { DrivenStore } from './driver.ts';

/** One partition's part of a store, as of the last commit. */
export class DrivenPart implements StateStore {
  readonly #entries = new Map<string, readonly [Uint8Array, Uint8Array]>();

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#entries.get(textOf(key))?.[1].slice();
  }
  range(
    { gte, gt, lt }: { readonly gte?: Uint8Array; readonly gt?: Uint8Array; readonly lt?: Uint8Array },
    limit: number,
  ): readonly (readonly [Uint8Array, Uint8Array])[] {
    return [...this.#entries.values()]
      .filter(
        ([key]) =>
          (gte === undefined || compareBytes(key, gte) >= 0) &&
          (gt === undefined || compareBytes(key, gt) > 0) &&
          (lt === undefined || compareBytes(key, lt) < 0),
      )
      .sort(([a], [b]) => compareBytes(a, b))
      .slice(0, limit)
      .map(([key, value]) => [key.slice(), value.slice()] as const);
  }
  write({ keys, values }: Writes): void {
    keys.forEach((key, i) => {
      const value = values[i] ?? null;
      if (value === null) this.#entries.delete(textOf(key));
      else this.#entries.set(textOf(key), [key.slice(), Uint8Array.from(value)]);
    });
  }
}

/** The whole store; each key lies in one part only. */
export const viewOf = <K, V>({ valueSerde }: AnyStore, parts: readonly StateStore[]): DrivenStore<K, V> => {
  // The face promises what its serde decodes.
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

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
