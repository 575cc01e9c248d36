/** fold: folds the records of a key, one after the other, into a state; `undefined` from `update` deletes the key. */
import type { AnyStore } from '@stoplog/core/kit';
import { ownStore, storeFacts } from './declared.ts';
import { inVerb, settled } from './handler.ts';
import type { StreamNode, TableNode } from './node.ts';
import type { AnyRecord } from './record.ts';
import { isFrozen, sharedValue } from './shared-value.ts';

export interface AnyFold {
  readonly init: () => unknown;
  readonly update: (state: unknown, value: unknown, record: AnyRecord) => unknown;
}

export const fold = (input: StreamNode, store: AnyStore, { init, update }: AnyFold): TableNode => ({
  kind: 'fold',
  verb: 'fold',
  detail: store.name,
  yields: 'changes',
  inputs: [input],
  declares: { verb: 'fold', store: storeFacts(store) },
  stores: [ownStore(store)],
  compile: (task, emit = () => {}) => {
    const state = task.store(store.name);
    task.onRecord(input, (record) => {
      const { key } = record;
      if (key === null) return task.drop('fold', record);
      const before = state.get(key);
      let after: unknown;
      try {
        // The emitted value before must not be changed by the update.
        after = settled(
          'fold',
          update(before === undefined ? sharedValue(settled('fold', init())) : isFrozen(before) ? before : sharedValue(before), record.value, record),
        );
      } catch (error) {
        throw inVerb('fold', error);
      }
      if (after !== undefined) state.set(key, after);
      else if (before !== undefined) state.delete(key);
      else return;
      emit(record, before, after);
    });
  },
  lookup: (task) => {
    const state = task.store(store.name);
    return (key) => state.get(key);
  },
});
