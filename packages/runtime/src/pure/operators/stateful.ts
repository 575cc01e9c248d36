/** fold, count and process: records of one key, one after the other, with a memory. */
import type { StoreOverlay } from '../task/overlay.ts';
import type { StreamNode, TableNode } from '../topology/graph.ts';
import { DerivedRecord } from './derived-record.ts';
import { many, settled, type Emit, type EmitChange } from './emit.ts';

type FoldNode = Extract<TableNode, { readonly kind: 'fold' }>;
type ProcessNode = Extract<StreamNode, { readonly kind: 'process' }>;

/** `undefined` from update deletes the key. */
export const fold =
  ({ init, update }: FoldNode, store: StoreOverlay, emit: EmitChange): Emit =>
  (record) => {
    const { key } = record;
    const before = store.get(key);
    const after = settled('fold', update(before === undefined ? settled('fold', init()) : before, record.value, record));
    if (after !== undefined) store.set(key, after);
    else if (before !== undefined) store.delete(key);
    else return;
    emit(record, before, after);
  };

/** Never looks at the value, so it is never decoded. */
export const count =
  (store: StoreOverlay, emit: EmitChange): Emit =>
  (record) => {
    const { key } = record;
    const before = store.get(key) as number | undefined;
    const after = (before ?? 0) + 1;
    store.set(key, after);
    emit(record, before, after);
  };

export const process =
  ({ step }: ProcessNode, store: StoreOverlay, emit: Emit): Emit =>
  (record) => {
    for (const value of many('process', step(record.value, store, record))) emit(new DerivedRecord(record, value));
  };
