/** process: reads and writes a store at will and emits any number of values: what the other verbs cannot say. */
import type { AnyStore } from '@stoplog/core/kit';
import { ownStore, storeFacts } from './declared.ts';
import { DerivedRecord } from './derived-record.ts';
import { many } from './emit.ts';
import type { StateAccess, StreamNode } from './node.ts';
import type { AnyRecord } from './record.ts';

export const process = (
  input: StreamNode,
  store: AnyStore,
  step: (value: unknown, state: StateAccess, record: AnyRecord) => Iterable<unknown>,
): StreamNode => ({
  kind: 'process',
  verb: 'process',
  detail: store.name,
  yields: 'records',
  inputs: [input],
  declares: { store: storeFacts(store) },
  stores: [ownStore(store)],
  compile: (task, emit) => {
    const state = task.store(store.name);
    task.onRecord(input, (record) => {
      for (const value of many('process', step(record.value, state, record))) emit(new DerivedRecord(record, value));
    });
  },
});
