/**
 * An outbox: a table into which a program writes in the same transaction as its own change, and whose rows become records of a topic.
 *
 * A program that writes to a database and then appends to a log may die in between, and the log never hears of the change. With an outbox
 * there is one write; what the rows become is committed with the position behind them, so each row becomes one record.
 */
import { checkName, checkSettings } from '@stoplog/core/kit';
import { StoplogError } from '@stoplog/core';
import type { Arrival, RawArrival } from '@stoplog/core/port';
import { type OutboxRow, rowOf } from './row-bytes.ts';

export type { OutboxRow };

export interface Outbox<K, V> {
  /** The name of the table. */
  readonly table: string;
  /** The key of a row's record. */
  readonly key: (row: OutboxRow) => K;
  /** The value of a row's record: parse what another program has written. */
  readonly value: (row: OutboxRow) => V;
  /** The time of a row's record, in ms since 1970 or as a Date; the time at which the row was read by default. */
  readonly timestamp?: (row: OutboxRow) => number | Date;
  /** True deletes the rows whose records are durable. Only one pipeline may read such a table. */
  readonly deletePublished?: boolean;
  /** How often the reader looks for rows that no notice announced, in ms. */
  readonly pollMs?: number;
}

/** Refuses a wrong declaration; `own` are the settings of the kind of database. */
export const checkOutbox = (name: string, spec: Outbox<never, unknown>, own: Readonly<Record<string, true>>): void => {
  checkName('source', name);
  checkSettings(`source '${name}'`, spec, { ...own, table: true, key: true, value: true, timestamp: true, deletePublished: true, pollMs: true });
  const wrong = (setting: keyof Outbox<never, unknown>, remedy: string): StoplogError =>
    new StoplogError('STOPLOG_USAGE', { source: name, setting }, `the ${setting} of source '${name}' is ${shown(spec[setting])}: ${remedy}`);
  if (typeof spec.table !== 'string' || spec.table === '' || spec.table.includes('\0')) throw wrong('table', 'give the name of the table');
  for (const setting of ['key', 'value', 'timestamp'] as const)
    if (typeof spec[setting] !== 'function' && !(setting === 'timestamp' && spec.timestamp === undefined))
      throw wrong(setting, `give a function of a row, as in ${setting}: (row) => row['${setting}']`);
  if (spec.pollMs !== undefined && !(Number.isSafeInteger(spec.pollMs) && spec.pollMs > 0)) throw wrong('pollMs', 'give whole milliseconds from 1 on');
};

/** Decodes a row in the actor's thread, where the functions of the declaration run. */
export const decoderOf =
  <K, V>({ key, value, timestamp }: Outbox<K, V>): ((raw: RawArrival) => Arrival) =>
  ({ value: bytes, timestamp: read, item }) => {
    const row = rowOf(bytes!);
    return { key: key(row), value: value(row), timestamp: timestamp === undefined ? read : Number(timestamp(row)), item };
  };

/** The refusal of a position that the table has never reached: its rows would be passed over. */
export const restoredError = (source: string, position: bigint, last: bigint): StoplogError =>
  new StoplogError(
    'STOPLOG_SOURCE',
    { source, position, last, retry: false },
    `source '${source}' was read up to ${position - 1n}, and its table has only numbered up to ${last}: the database was replaced or restored, and new rows would be passed over. Give the source another name, and it reads the table from its start`,
  );

/** Resolves after the time, at the abort, or when `wake` is called by the listener. */
export const waitFor = (ms: number, signal: AbortSignal, listen: (wake: () => void) => void = () => {}): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    listen(done);
    if (signal.aborted) done();
  });

const shown = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : typeof value === 'number' ? String(value) : typeof value);
