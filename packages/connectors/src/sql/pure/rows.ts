/**
 * The rows of a batch: for each key the latest record, as values of columns or as a tombstone, with its version.
 *
 * A batch is one transaction, so nobody could see the earlier records of a key. They are left out here, and each key is written once.
 */
import { StoplogError } from '@stoplog/core';
import { asError, canonicalJson } from '@stoplog/core/kit';
import type { SinkRecord } from '@stoplog/core/port';
import type { Column, Table } from './table.ts';

export interface Row {
  /** The key's columns as JSON, equal for equal keys: the name of the key among the deleted ones. */
  readonly id: string;
  readonly key: readonly unknown[];
  /** undefined for a tombstone. */
  readonly value: readonly unknown[] | undefined;
  readonly offset: bigint;
  readonly index: number;
}

/** `from` is the position of the target: records below it are there. `place` names the topic partition, for errors. */
export const rowsOf = (table: Table, records: readonly SinkRecord[], from: bigint, place: string): readonly Row[] => {
  const rows = new Map<string, Row>();
  for (const record of records) {
    const { key, value, offset, index } = record;
    if (offset < from) continue;
    const name = `${place}@${offset}`;
    if (key === null || key === undefined)
      throw refused(table, record, name, 'has no key, and a row needs one: give it a key with .rekey(…).through(topic) before .to(…)');
    const columns = valuesOf(table, table.key, key, record, name);
    const id = canonicalJson(columns.map(plain));
    // Deleting and setting again moves the key to its latest place in the order.
    rows.delete(id);
    rows.set(id, {
      id,
      key: columns,
      value: value === null || value === undefined ? undefined : valuesOf(table, table.value, value, record, name),
      offset,
      index,
    });
  }
  return [...rows.values()];
};

const valuesOf = (table: Table, columns: readonly Column[], from: unknown, record: SinkRecord, name: string): readonly unknown[] =>
  columns.map(({ name: column, of }) => {
    try {
      return of(from, record);
    } catch (error) {
      throw refused(table, record, name, `has no value for column '${column}', whose function threw: ${asError(error).message}`, error);
    }
  });

const refused = ({ sink }: Table, { offset }: SinkRecord, name: string, why: string, cause?: unknown): StoplogError =>
  new StoplogError('STOPLOG_SINK', { sink, offset, cause: why }, `sink '${sink}' cannot write ${name}: the record ${why}`, { cause });

/** Values that JSON does not have, as texts and numbers. */
export const plain = (value: unknown): unknown =>
  typeof value === 'bigint'
    ? String(value)
    : value instanceof Uint8Array
      ? Buffer.from(value).toString('hex')
      : value instanceof Date
        ? value.toISOString()
        : value;
