/** filter of a table: a value that does not pass is absent, so leaving the filter is a deletion, entering it an insertion. */
import { settled } from './handler.ts';
import type { TableNode } from './node.ts';
import { tableOfValues } from './table-values.ts';

export const tableFilter = (input: TableNode, keep: (value: unknown, key: unknown) => boolean): TableNode =>
  tableOfValues('table-filter', 'filter', input, (seen, key, value) => (settled('filter', keep(seen, key)) ? value : undefined));
