/** map of a table: replaces each value by one value; a value that becomes undefined is absent. */
import { inVerb, settled } from './handler.ts';
import type { TableNode } from './node.ts';
import { isFrozen, sharedValue } from './shared-value.ts';

export const tableMap = (input: TableNode, fn: (value: unknown, key: unknown) => unknown): TableNode => {
  const valueOf = (value: unknown, key: unknown): unknown => {
    if (value === undefined) return undefined;
    try {
      return sharedValue(settled('map', fn(isFrozen(value) ? value : sharedValue(value), key)));
    } catch (error) {
      throw inVerb('map', error);
    }
  };
  return {
    kind: 'table-map',
    verb: 'map',
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
