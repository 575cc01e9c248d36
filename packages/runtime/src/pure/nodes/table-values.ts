/**
 * A table that is made value by value from another: `map` and `filter` differ only in the value.
 *
 * A change is passed on as what both of its sides become; a side that becomes undefined is absent.
 */
import { inVerb } from './handler.ts';
import type { TableNode } from './node.ts';
import { isFrozen, sharedValue } from './shared-value.ts';

/** `become` is given the value as a handler may see it, and the value itself, which no handler has seen. */
export const tableOfValues = (kind: string, verb: string, input: TableNode, become: (seen: unknown, key: unknown, value: unknown) => unknown): TableNode => {
  const valueOf = (value: unknown, key: unknown): unknown => {
    if (value === undefined) return undefined;
    try {
      return become(isFrozen(value) ? value : sharedValue(value), key, value);
    } catch (error) {
      throw inVerb(verb, error);
    }
  };
  return {
    kind,
    verb,
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
