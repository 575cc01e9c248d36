/** Formats rows as aligned columns, a line per row. */
import { columns } from '../text/columns.ts';

export const rowsText = (rows: readonly (readonly string[])[], right: readonly number[] = []): string =>
  columns(rows, right)
    .map((line) => `${line}\n`)
    .join('');
export const jsonOut = (data: unknown): string => `${JSON.stringify(data, undefined, 2)}\n`;
