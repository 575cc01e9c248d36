/** map: replaces each value by one value. */
import { DerivedRecord } from './derived-record.ts';
import { inVerb, settled } from './handler.ts';
import type { StreamNode } from './node.ts';
import type { AnyRecord } from './record.ts';

export const map = (input: StreamNode, fn: (value: unknown, record: AnyRecord) => unknown): StreamNode => ({
  kind: 'map',
  verb: 'map',
  yields: 'records',
  inputs: [input],
  declares: {},
  compile: (task, emit) =>
    task.onRecord(input, (record) => {
      let value: unknown;
      try {
        value = settled('map', fn(record.value, record));
      } catch (error) {
        throw inVerb('map', error);
      }
      emit(new DerivedRecord(record, value));
    }),
});
