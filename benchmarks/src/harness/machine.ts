/**
 * Describes the machine of a result. A figure without its machine says nothing: a flush alone differs tenfold between disks,
 * so a flush is measured here too, in the folder where the benchmarks write.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { withFolder } from './folder.ts';
import { quantile } from './pairs.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
  readonly lmdb: string;
  /** Milliseconds of an fdatasync after 4 KB were appended. */
  readonly fdatasyncMs: { readonly p50: number; readonly p99: number };
}

const FLUSHES = 300;

export const machine = async (): Promise<Machine> => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  kernel: `${process.platform} ${release()} ${process.arch}`,
  node: process.version,
  lmdb: versionOf('lmdb'),
  fdatasyncMs: await flushTimes(),
});

const flushTimes = (): Promise<Machine['fdatasyncMs']> =>
  withFolder(async (folder) => {
    const file = openSync(join(folder, 'flushed'), 'w');
    const block = Buffer.alloc(4096, 1);
    const times: number[] = [];
    for (let i = 0; i < FLUSHES; i++) {
      writeSync(file, block);
      const started = performance.now();
      fdatasyncSync(file);
      times.push(performance.now() - started);
    }
    closeSync(file);
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
  });

/** A package whose exports hide its package.json still has one in a folder above. */
const versionOf = (name: string): string => {
  const entry = createRequire(import.meta.url).resolve(name);
  for (let folder = dirname(entry); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly name?: string; readonly version?: string };
      if (found.name === name) return found.version ?? 'unknown';
    } catch {
      // Tries the folder above.
    }
  }
  return 'unknown';
};
