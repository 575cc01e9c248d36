/**
 * A Table is the latest value of every key: what a stream of changes adds up to.
 *
 * Only a compacted topic or a fold can be one, and it can only be written to a compacted topic: a key that goes away is
 * a tombstone there, and a plain stream would not know what to make of it.
 */
import type { Origin } from '@stoplog/core';
import { table as tableNode } from '../nodes/table.ts';
import { asTopic } from './arguments.ts';
import { tableFace } from './verbs.ts';
import type { Table } from './faces.ts';

export type { Change, Table } from './faces.ts';

/**
 * The latest value of every key of a compacted topic.
 *
 * @example
 * table(customers)
 */
export const table = <K, V>(topic: Origin<K, V> & { readonly kind: 'compacted' }): Table<K, V> =>
  tableFace<K, V>(tableNode(asTopic('table', topic, ['compacted'])));
