/**
 * join and leftJoin: adds the table's value as it is now. A record never waits for a value of the table, and a change of
 * the table never repeats a record.
 */
import { DerivedRecord } from './derived-record.ts';
import { settled } from './emit.ts';
import type { StreamNode, TableNode } from './node.ts';
import type { AnyRecord } from './record.ts';

/** `left`: a record without a match goes on, with undefined. */
export const join = (
  input: StreamNode,
  table: TableNode,
  left: boolean,
  combine: (value: unknown, match: unknown, record: AnyRecord) => unknown,
): StreamNode => ({
  kind: 'join',
  verb: left ? 'leftJoin' : 'join',
  yields: 'records',
  inputs: [input, table],
  declares: { left },
  meeting: 'join',
  compile: (task, emit) => {
    const lookup = table.lookup(task);
    task.onRecord(input, (record) => {
      const match = lookup(record.key);
      if (match === undefined && !left) return;
      emit(new DerivedRecord(record, settled('join', combine(record.value, match, record))));
    });
  },
});
