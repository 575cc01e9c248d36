/** A fresh folder for each run, removed afterwards: no run uses the free pages, or the page cache, of another. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const withFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(process.env['STOPLOG_BENCH_DIR'] ?? tmpdir(), 'stoplog-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
