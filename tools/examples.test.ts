import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { valuesOf } from './examples.ts';

/** The entries for programs; `kit`, `port`, `tools` and the memory log are for those who write a log or a runtime. */
const ENTRIES = [
  'packages/core/src/index.ts',
  'packages/core/src/lmdb/index.ts',
  'packages/runtime/src/index.ts',
  'packages/runtime/src/testing/index.ts',
  'packages/connectors/src/http/index.ts',
  'packages/connectors/src/sql/postgres/index.ts',
  'packages/connectors/src/sql/sqlite/index.ts',
];

test('every value that a program imports has an example in its docstring', () => {
  const values = ENTRIES.flatMap((entry) => valuesOf(fileURLToPath(new URL('..', import.meta.url)), entry));
  expect(values.length).toBeGreaterThan(20);
  expect(values.filter(({ hasExample }) => !hasExample).map(({ file, name }) => `${file}: ${name} has no @example`)).toEqual([]);
});
