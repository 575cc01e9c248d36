/** What a table is made of, what is made of a table, and how a join looks into one. */
import { LazyRecord } from '@stoplog/core/port';
import type { StoreOverlay } from '../task/overlay.ts';
import type { TableNode } from '../topology/graph.ts';
import { DerivedRecord } from './derived-record.ts';
import { settled, type Emit, type EmitChange } from './emit.ts';

type NodeOf<K extends TableNode['kind']> = Extract<TableNode, { readonly kind: K }>;

/** Keeps the latest value of each key; tells what it was before only if somebody wants to know. */
export const materialize =
  (store: StoreOverlay, emit: EmitChange | undefined): Emit =>
  (record) => {
    const { key } = record;
    const before = emit && store.get(key);
    const bytes = record instanceof LazyRecord ? record.valueBytes : undefined;
    if (bytes === null || (bytes === undefined && record.value === null)) store.delete(key);
    else if (bytes === undefined) store.set(key, record.value);
    // A copy: the store may keep it long after the batch it came in.
    else store.setBytes(key, Uint8Array.prototype.slice.call(bytes));
    if (emit === undefined) return;
    const after = store.get(key);
    if (before !== undefined || after !== undefined) emit(record, before, after);
  };

/** What becomes undefined is not there. */
export const tableMap =
  ({ fn }: NodeOf<'table-map'>, emit: EmitChange): EmitChange =>
  (record, before, after) => {
    const { key } = record;
    const was = before === undefined ? undefined : settled('map', fn(before, key));
    const is = after === undefined ? undefined : settled('map', fn(after, key));
    if (was !== undefined || is !== undefined) emit(record, was, is);
  };

/** What is filtered out is not there: leaving the filter is a deletion, entering it an insertion. */
export const tableFilter =
  ({ keep }: NodeOf<'table-filter'>, emit: EmitChange): EmitChange =>
  (record, before, after) => {
    const { key } = record;
    const was = before !== undefined && settled('filter', keep(before, key)) ? before : undefined;
    const is = after !== undefined && settled('filter', keep(after, key)) ? after : undefined;
    if (was !== undefined || is !== undefined) emit(record, was, is);
  };

export const changes =
  (emit: Emit): EmitChange =>
  (record, before, after) =>
    emit(new DerivedRecord(record, { before, after }));

/** The table's value for a key, as it is now. */
export const lookupIn = (node: TableNode, storeOf: (node: NodeOf<'table' | 'fold'>) => StoreOverlay): ((key: unknown) => unknown) => {
  switch (node.kind) {
    case 'table':
    case 'fold': {
      const store = storeOf(node);
      return (key) => store.get(key);
    }
    case 'table-map': {
      const below = lookupIn(node.input, storeOf);
      return (key) => {
        const value = below(key);
        return value === undefined ? undefined : settled('map', node.fn(value, key));
      };
    }
    case 'table-filter': {
      const below = lookupIn(node.input, storeOf);
      return (key) => {
        const value = below(key);
        return value !== undefined && settled('filter', node.keep(value, key)) ? value : undefined;
      };
    }
  }
};
