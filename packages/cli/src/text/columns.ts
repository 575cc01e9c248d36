/** Rows as aligned columns, two spaces between; numbers to the right. */
export const columns = (rows: readonly (readonly string[])[], right: readonly number[] = []): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => (right.includes(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd(),
  );
};
