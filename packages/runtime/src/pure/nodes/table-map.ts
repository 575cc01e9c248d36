/** map of a table: replaces each value by one value; a value that becomes undefined is absent. */
import { settled } from './handler.ts';
import type { TableNode } from './node.ts';
import { sharedValue } from './shared-value.ts';
import { tableOfValues } from './table-values.ts';

export const tableMap = (input: TableNode, fn: (value: unknown, key: unknown) => unknown): TableNode =>
  tableOfValues('table-map', 'map', input, (value, key) => sharedValue(settled('map', fn(value, key))));
