import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { PAGE_SIZE } from '../layout/keyspace.ts';
import { META_BYTES, neededBytes } from '../layout/pages/meta-page.ts';

test('the file is longer than its last commit needs after every commit, for any pages taken and given back', async () => {
  const path = mkdtempSync(join(tmpdir(), 'stoplog-slack-'));
  try {
    await using log = await openPort(lmdb(path));
    await log.store({ store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' }, new AbortController().signal);
    const fd = openSync(join(path, 'data.mdb'), 'r');
    const pages = Buffer.alloc(PAGE_SIZE + META_BYTES);
    const spare: number[] = [];
    for (let i = 0; i < 60; i++) {
      // Large values are put and removed in one transaction: the pages at the end are taken, and never written.
      const keys = [Buffer.from(`a${i}`), Buffer.from(`b${i}`), Buffer.from(`b${i}`)];
      const values = [Buffer.alloc((i * 7919) % 90_000, i), Buffer.alloc(3_000_000), null];
      await log.commit({ group: '', epoch: 0, appends: [], stores: [{ store: 's', partition: 0, keys, values }], positions: [] });
      readSync(fd, pages, 0, pages.length, 0);
      spare.push(fstatSync(fd).size - neededBytes(pages, pages.subarray(PAGE_SIZE)));
    }
    closeSync(fd);
    expect(Math.min(...spare)).toBeGreaterThan(16 * 1024 * 1024);
  } finally {
    rmSync(path, { recursive: true });
  }
});
