/** filter of a table: what is filtered out is absent, so leaving the filter is a deletion, entering it an insertion. */
import { settled } from './emit.ts';
import type { TableNode } from './node.ts';

export const tableFilter = (input: TableNode, keep: (value: unknown, key: unknown) => boolean): TableNode => {
  const valueOf = (value: unknown, key: unknown): unknown => (value !== undefined && settled('filter', keep(value, key)) ? value : undefined);
  return {
    kind: 'table-filter',
    verb: 'filter',
    yields: 'changes',
    inputs: [input],
    declares: {},
    compile: (task, emit = () => {}) =>
      task.onChange(input, (record, before, after) => {
        const { key } = record;
        const [was, is] = [valueOf(before, key), valueOf(after, key)];
        if (was !== undefined || is !== undefined) emit(record, was, is);
      }),
    lookup: (task) => {
      const below = input.lookup(task);
      return (key) => valueOf(below(key), key);
    },
  };
};
