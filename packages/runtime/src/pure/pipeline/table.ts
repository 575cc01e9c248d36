/**
 * A Table is the latest value of every key, kept up to date by a stream of changes.
 *
 * Only a compacted topic or a fold is a table, and a table can only be written to a compacted topic: a deleted key becomes a tombstone
 * there, and a reader of a plain stream would not expect a null value.
 */
import type { Origin } from '@stoplog/core';
import { table as tableNode } from '../nodes/table.ts';
import { asTopic } from './arguments.ts';
import { tableFace } from './verbs.ts';
import type { Table } from './faces.ts';

export type { Change, Table } from './faces.ts';

/**
 * Reads the latest value of every key of a compacted topic.
 *
 * @example
 * table(customers)
 */
export const table = <K, V>(topic: Origin<K, V> & { readonly kind: 'compacted' }): Table<K, V> =>
  tableFace<K, V>(tableNode(asTopic('table', topic, ['compacted'])));
