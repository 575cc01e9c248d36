import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadLogModule, openPort } from '@stoplog/core/kit';
import { logContract } from '@stoplog/core/testing/contract';
import { lmdb } from '@stoplog/core/lmdb';

logContract('lmdb', async () => {
  const path = mkdtempSync(join(tmpdir(), 'stoplog-contract-'));
  const log = await openPort(lmdb(path));
  const { clean } = await loadLogModule(lmdb(path));
  return { log, reopen: () => openPort(lmdb(path)), clean, dispose: async () => rmSync(path, { recursive: true }) };
});
