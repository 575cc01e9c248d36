/** filter: emits the records for which the function returns true. */
import { inVerb, settled } from './handler.ts';
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
      let kept: boolean;
      try {
        kept = settled('filter', keep(record.value, record));
      } catch (error) {
        throw inVerb('filter', error);
      }
      if (kept) emit(record);
    }),
});
