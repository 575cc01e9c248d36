/** Encodes arrivals as one batch, to cross from the thread that reads a source to the actor, and decodes the batch into arrivals. */
import type { RawArrival } from '@stoplog/core/port';
import { BatchBuilder, NO_HEADERS, openBatch } from '@stoplog/core/kit';

export const encodeArrivals = (arrivals: readonly RawArrival[]): Uint8Array | undefined => {
  if (arrivals.length === 0) return undefined;
  const builder = new BatchBuilder();
  for (const { key, value, timestamp, headers } of arrivals) builder.append(key, value, timestamp, headers);
  return builder.finish();
};

/** `items` are the source's own names for the arrivals, in their order. */
export const decodeArrivals = (batch: Uint8Array | undefined, items: readonly unknown[]): readonly RawArrival[] => {
  if (batch === undefined) return [];
  const view = openBatch(batch);
  const arrivals: RawArrival[] = [];
  while (view.next())
    arrivals.push({
      key: view.key(),
      value: view.value(),
      timestamp: view.timestamp,
      headers: view.headersAt < 0 ? NO_HEADERS : view.headers(),
      item: items[arrivals.length],
    });
  return arrivals;
};
