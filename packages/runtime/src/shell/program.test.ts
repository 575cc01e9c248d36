import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { versionOf } from './program.ts';

test('the version of a program is the given one, or a hash of its pipeline and of the files that it imports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-program-'));
  try {
    const url = pathToFileURL(join(folder, 'a.pipeline.mjs')).href;
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
    write('a.pipeline.mjs', "import { double } from './b.mjs';\nimport { z } from 'zod';\nexport default double(1);\n");
    write('b.mjs', "import './c.mjs';\nimport './a.pipeline.mjs';\nexport const double = (n) => 2 * n;\n");
    write('c.mjs', 'globalThis.c = 1;\n');
    const first = versionOf(url, undefined);
    expect(first).toMatch(/^[0-9a-f]{12}$/);
    expect(versionOf(`${url}?again`, undefined)).toBe(first);
    write('c.mjs', 'globalThis.c = 2;\n');
    expect(versionOf(url, undefined)).not.toBe(first);
    write('a.pipeline.mjs', "import './typed.js';\n");
    write('typed.ts', 'export const n: number = 1;\n');
    const typed = versionOf(url, undefined);
    write('typed.ts', 'export const n: number = 2;\n');
    expect(versionOf(url, undefined)).not.toBe(typed);
    expect(versionOf(url, '1.4.2')).toBe('1.4.2');
    expect(versionOf('data:text/javascript,export default 1', undefined)).toBe('unknown');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
