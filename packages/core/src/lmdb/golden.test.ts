/** This version reads the folders of earlier versions, whole, and continues them. Made by fixtures/golden.mjs. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withFolder } from './fixtures/child.ts';
import { describeLog, fill, GOLDEN } from './fixtures/golden.mjs';

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));
const folders = readdirSync(fixtures).filter((name) => /^golden-\d+$/.test(name));

test.each(folders)('%s is read as it was written', async (name) => {
  // A copy, since an opened log changes; and with our own permissions, which a checkout of git may not have.
  const copy = mkdtempSync(join(tmpdir(), 'stoplog-golden-'));
  try {
    for (const file of readdirSync(join(fixtures, name))) cpSync(join(fixtures, name, file), join(copy, file));
    expect(await describeLog(copy)).toBe(readFileSync(join(fixtures, `${name}.txt`), 'utf8'));
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('the latest folder is what this version writes, and small enough for git', async () => {
  await withFolder(async (folder) => {
    await fill(join(folder, 'log'));
    expect(await describeLog(join(folder, 'log'))).toBe(readFileSync(`${GOLDEN}.txt`, 'utf8'));
    expect(folders.at(-1)).toBe(GOLDEN.split('/').at(-1));
    expect(statSync(join(GOLDEN, 'data.mdb')).size).toBeLessThan(200_000);
  });
});
