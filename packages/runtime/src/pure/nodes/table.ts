/** table: keeps the latest value of each key of a compacted topic, in a store, as the topic's own bytes. */
import { type AnyTopic, LazyRecord } from '@stoplog/core/kit';
import { targetFacts } from './declared.ts';
import type { Emit, EmitChange } from './emit.ts';
import { hashText } from './hash-text.ts';
import type { StatePort, TableNode } from './node.ts';

export const table = (topic: AnyTopic): TableNode => {
  // `:` keeps the name apart from the names of declared stores.
  const name = `table:${topic.name}`;
  const { keyCodec, valueCodec } = topic.shape;
  return {
    kind: 'table',
    verb: 'table',
    yields: 'changes',
    inputs: [],
    declares: { topic: targetFacts(topic) },
    reads: { topic, role: 'table', keep: (task, emit) => materialize(task.store(name), emit) },
    // The store holds bytes, so a change of the topic's schema does not make it another store.
    stores: [{ store: undefined, name, version: 1, fingerprint: hashText(`table ${keyCodec} ${valueCodec}`), table: topic }],
    lookup: (task) => {
      const store = task.store(name);
      return (key) => store.get(key);
    },
  };
};

/** Looks up the value before only if a node that needs it follows. */
export const materialize =
  (store: StatePort, emit: EmitChange | undefined): Emit =>
  (record) => {
    const { key } = record;
    const before = emit && store.get(key);
    const bytes = record instanceof LazyRecord ? record.valueBytes : undefined;
    if (bytes === null || (bytes === undefined && record.value === null)) store.delete(key);
    else if (bytes === undefined) store.set(key, record.value);
    // A copy: the store may keep the value long after its batch.
    else store.setBytes(key, Uint8Array.prototype.slice.call(bytes));
    if (emit === undefined) return;
    const after = store.get(key);
    if (before !== undefined || after !== undefined) emit(record, before, after);
  };
