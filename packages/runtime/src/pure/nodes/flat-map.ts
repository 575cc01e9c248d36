/** flatMap: replaces each value by any number of values, in order. */
import { DerivedRecord } from './derived-record.ts';
import { inVerb, many } from './handler.ts';
import type { StreamNode } from './node.ts';
import type { AnyRecord } from './record.ts';

export const flatMap = (input: StreamNode, fn: (value: unknown, record: AnyRecord) => Iterable<unknown>): StreamNode => ({
  kind: 'flat-map',
  verb: 'flatMap',
  yields: 'records',
  inputs: [input],
  declares: {},
  compile: (task, emit) =>
    task.onRecord(input, (record) => {
      try {
        for (const value of many('flatMap', fn(record.value, record))) emit(new DerivedRecord(record, value));
      } catch (error) {
        throw inVerb('flatMap', error);
      }
    }),
});
