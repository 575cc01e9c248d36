/** filter, map, flatMap and join: each record for itself. */
import type { StreamNode } from '../topology/graph.ts';
import { DerivedRecord } from './derived-record.ts';
import { many, settled, type Emit } from './emit.ts';

type NodeOf<K extends StreamNode['kind']> = Extract<StreamNode, { readonly kind: K }>;

export const filter =
  ({ keep }: NodeOf<'filter'>, emit: Emit): Emit =>
  (record) => {
    if (settled('filter', keep(record.value, record))) emit(record);
  };

export const map =
  ({ fn }: NodeOf<'map'>, emit: Emit): Emit =>
  (record) => {
    emit(new DerivedRecord(record, settled('map', fn(record.value, record))));
  };

export const flatMap =
  ({ fn }: NodeOf<'flat-map'>, emit: Emit): Emit =>
  (record) => {
    for (const value of many('flatMap', fn(record.value, record))) emit(new DerivedRecord(record, value));
  };

/** The table's value as it is now; a record never waits for a table's, and a table's change never repeats a record. */
export const join =
  ({ left, combine }: NodeOf<'join'>, lookup: (key: unknown) => unknown, emit: Emit): Emit =>
  (record) => {
    const match = lookup(record.key);
    if (match === undefined && !left) return;
    emit(new DerivedRecord(record, settled('join', combine(record.value, match, record))));
  };
