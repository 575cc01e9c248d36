/** changes: makes a table a stream of its changes, each with the values before and after. */
import { DerivedRecord } from './derived-record.ts';
import type { StreamNode, TableNode } from './node.ts';

export const changes = (input: TableNode): StreamNode => ({
  kind: 'changes',
  verb: 'changes',
  yields: 'records',
  inputs: [input],
  declares: {},
  compile: (task, emit) => task.onChange(input, (record, before, after) => emit(new DerivedRecord(record, { before, after }))),
});
