/** process: reads and writes a store freely and emits any number of values, for work that the other verbs cannot express. */
import type { AnyStore } from '@stoplog/core/kit';
import { ownStore, storeFacts } from './declared.ts';
import { DerivedRecord } from './derived-record.ts';
import { inVerb, many } from './handler.ts';
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
    const kept = task.store(store.name);
    const state: StateAccess = Object.freeze({
      get: (key: unknown) => kept.get(key),
      set: (key: unknown, value: unknown) => kept.set(key, value),
      delete: (key: unknown) => kept.delete(key),
    });
    task.onRecord(input, (record) => {
      if (record.key === null) return task.drop('process', record);
      try {
        for (const value of many('process', step(record.value, state, record))) emit(new DerivedRecord(record, value));
      } catch (error) {
        throw inVerb('process', error);
      }
    });
  },
});
