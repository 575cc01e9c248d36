/** A row as bytes, with the dates, bytes and bigints that JSON lacks: it crosses from the thread for sources to the actor's. */
import { deserialize, serialize } from 'node:v8';
import { NO_HEADERS } from '@stoplog/core/kit';
import type { RawArrival } from '@stoplog/core/port';

/** A row as the library of the database returns it: each column by its name. */
export type OutboxRow = Readonly<Record<string, unknown>>;

/** `item` is the row's identifier, which an error names. */
export const arrivalOf = (row: OutboxRow, item: unknown, timestamp: number): RawArrival => ({
  key: null,
  value: serialize(row),
  timestamp,
  headers: NO_HEADERS,
  item,
});

export const rowOf = (bytes: Uint8Array): OutboxRow => deserialize(bytes) as OutboxRow;
