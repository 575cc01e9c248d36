/** count: counts the records of each key. The value is never read, so it is never decoded. */
import type { AnyStore } from '@stoplog/core/kit';
import { ownStore, storeFacts } from './declared.ts';
import type { StreamNode, TableNode } from './node.ts';

/** In the fingerprint a count is a fold whose verb is `count`. */
export const count = (input: StreamNode, store: AnyStore): TableNode => ({
  kind: 'fold',
  verb: 'count',
  detail: store.name,
  yields: 'changes',
  inputs: [input],
  declares: { verb: 'count', store: storeFacts(store) },
  stores: [ownStore(store)],
  compile: (task, emit = () => {}) => {
    const state = task.store(store.name);
    task.onRecord(input, (record) => {
      const { key } = record;
      if (key === null) return task.drop('count', record);
      const before = state.get(key) as number | undefined;
      const after = (before ?? 0) + 1;
      state.set(key, after);
      emit(record, before, after);
    });
  },
  lookup: (task) => {
    const state = task.store(store.name);
    return (key) => state.get(key);
  },
});
