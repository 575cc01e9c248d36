/** filter: hands on the records for which the answer is true. */
import { settled } from './emit.ts';
import type { StreamNode } from './node.ts';
import type { AnyRecord } from './record.ts';

export const filter = (input: StreamNode, keep: (value: unknown, record: AnyRecord) => boolean): StreamNode => ({
  kind: 'filter',
  verb: 'filter',
  yields: 'records',
  inputs: [input],
  declares: {},
  compile: (task, emit) =>
    task.onRecord(input, (record) => {
      if (settled('filter', keep(record.value, record))) emit(record);
    }),
});
