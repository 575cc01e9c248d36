import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdb } from '@stoplog/core/lmdb';
import { loadLogModule, openPort } from '@stoplog/core/port';
import { logContract } from '@stoplog/core/testing';

logContract('lmdb', async () => {
  const path = mkdtempSync(join(tmpdir(), 'stoplog-contract-'));
  const log = await openPort(lmdb(path));
  const { clean } = await loadLogModule(lmdb(path));
  return { log, reopen: () => openPort(lmdb(path)), clean, dispose: async () => rmSync(path, { recursive: true }) };
});
