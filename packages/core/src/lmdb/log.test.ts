import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NumberedLog } from '@stoplog/core/port';
import { openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { logContract, numberedLogContract, type LogUnderTest } from '@stoplog/core/testing/contract';
import { lmdb } from '@stoplog/core/lmdb';

const open = async (): Promise<LogUnderTest<NumberedLog>> => {
  const path = mkdtempSync(join(tmpdir(), 'stoplog-contract-'));
  // The suite cleans on command, by times of its own; the background would clean by the wall clock.
  const ref = lmdb(path, { maintenance: { everyMs: Infinity } });
  const log = await openPort(ref);
  const { clean } = await loadTools(ref);
  return { log, reopen: () => openPort(ref), clean, dispose: async () => rmSync(path, { recursive: true }) };
};

logContract('lmdb', open);
numberedLogContract('lmdb', open);
