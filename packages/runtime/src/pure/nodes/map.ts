/** map: one value of each value. */
import { DerivedRecord } from './derived-record.ts';
import { settled } from './emit.ts';
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
      emit(new DerivedRecord(record, settled('map', fn(record.value, record))));
    }),
});
