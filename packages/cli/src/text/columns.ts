/** Formats rows as aligned columns, two spaces apart; numbers are right-aligned. */
import Table from 'cli-table3';

/** Border characters of a table without a frame. */
const NO_FRAME = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
  ].map((part) => [part, '']),
);

export const columns = (rows: readonly (readonly string[])[], right: readonly number[] = []): readonly string[] => {
  if (rows.length === 0) return [];
  const table = new Table({
    chars: { ...NO_FRAME, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colAligns: rows[0]!.map((_, column) => (right.includes(column) ? 'right' : 'left')),
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
};
