/** filter of a table: a value that does not pass is absent, so leaving the filter is a deletion, entering it an insertion. */
import { inVerb, settled } from './handler.ts';
import type { TableNode } from './node.ts';
import { isFrozen, sharedValue } from './shared-value.ts';

export const tableFilter = (input: TableNode, keep: (value: unknown, key: unknown) => boolean): TableNode => {
  const valueOf = (value: unknown, key: unknown): unknown => {
    if (value === undefined) return undefined;
    try {
      return settled('filter', keep(isFrozen(value) ? value : sharedValue(value), key)) ? value : undefined;
    } catch (error) {
      throw inVerb('filter', error);
    }
  };
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
