/**
 * join and leftJoin: combine each record with the table's present value for its key. A record never waits for a value of the table, and a
 * change of the table never repeats a record.
 */
import { DerivedRecord } from './derived-record.ts';
import { inVerb, settled } from './handler.ts';
import type { StreamNode, TableNode } from './node.ts';
import type { AnyRecord } from './record.ts';

/** With `left`, a record without a match passes too, with undefined. */
export const join = (
  input: StreamNode,
  table: TableNode,
  left: boolean,
  combine: (value: unknown, match: unknown, record: AnyRecord) => unknown,
): StreamNode => {
  const verb = left ? 'leftJoin' : 'join';
  return {
    kind: 'join',
    verb,
    yields: 'records',
    inputs: [input, table],
    declares: { left },
    meeting: 'join',
    compile: (task, emit) => {
      const lookup = table.lookup(task);
      task.onRecord(input, (record) => {
        const { key } = record;
        if (key === null) return task.drop(verb, record);
        const match = lookup(key);
        if (match === undefined && !left) return;
        let value: unknown;
        try {
          value = settled(verb, combine(record.value, match, record));
        } catch (error) {
          throw inVerb(verb, error);
        }
        emit(new DerivedRecord(record, value));
      });
    },
  };
};
