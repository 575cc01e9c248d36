/** Every error code has a section in docs/reference/errors.md, and no section has a code that is gone. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

test('the reference explains exactly the codes that an error can have', () => {
  const declared = [...read('packages/core/src/pure/errors.ts').matchAll(/^ {2}\| '(STOPLOG_[A-Z_]+)'/gm)].map(([, code]) => code).toSorted();
  const explained = [...read('docs/reference/errors.md').matchAll(/^### (STOPLOG_[A-Z_]+)$/gm)].map(([, code]) => code).toSorted();
  expect(declared.length).toBeGreaterThan(20);
  expect(explained).toEqual(declared);
});
