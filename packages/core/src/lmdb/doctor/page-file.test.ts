import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PAGE_SIZE } from '../layout/keyspace.ts';
import { withFolder } from '../fixtures/child.ts';
import { PageFile } from './page-file.ts';

test('a page number that a damaged page names is a page that is not there, whatever the number', async () => {
  await withFolder(async (path) => {
    writeFileSync(join(path, 'data.mdb'), Buffer.alloc(4 * PAGE_SIZE));
    const file = new PageFile(path, PAGE_SIZE);
    const last = Math.floor(Number.MAX_SAFE_INTEGER / PAGE_SIZE);
    for (const page of [-1, -(2 ** 40), 4, last - 1, last, 2 ** 63]) expect([page, file.page(page, 2)]).toEqual([page, undefined]);
    expect(file.page(2, 2)).toHaveLength(2 * PAGE_SIZE);
    file.close();
  });
});
