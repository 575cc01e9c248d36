import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdb } from '@stoplog/core/lmdb';
import { openPort } from '@stoplog/core/port';
import { logContract } from '@stoplog/core/testing';

logContract('lmdb', async () => {
  const path = mkdtempSync(join(tmpdir(), 'stoplog-contract-'));
  const log = await openPort(lmdb(path));
  return { log, reopen: () => openPort(lmdb(path)), dispose: async () => rmSync(path, { recursive: true }) };
});
