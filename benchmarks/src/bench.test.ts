/** A benchmark runs and writes its results to a file. A test does not judge speed. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { writeReport, type Report } from './harness/report.ts';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'stoplog-bench-test-'));
const bench = (...args: readonly string[]): string => execFileSync(process.execPath, [main, ...args], { encoding: 'utf8' });

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a quick run measures ours and the floor, and leaves a file that names the machine and the durability', () => {
  const printed = bench('append', '--quick', '--out', folder);
  expect(printed).toContain('floor');
  const [file] = readdirSync(folder);
  expect(file).toMatch(/^\d{4}-\d\d-\d\d-\w+(-dirty)?\.json$/);
  const positive = expect.any(Number);
  const spread = { median: positive, min: positive, max: positive };
  expect(JSON.parse(readFileSync(join(folder, file!), 'utf8'))).toMatchObject({
    quick: true,
    pairs: 1,
    machine: {
      cpu: expect.any(String),
      cores: positive,
      memoryGiB: positive,
      kernel: expect.any(String),
      node: process.version,
      lmdb: expect.stringMatching(/^\d/),
      fdatasyncMs: { p50: positive, p99: positive },
    },
    results: [
      {
        name: 'append',
        question: expect.stringMatching(/\?$/),
        figures: [
          {
            name: 'bytes',
            unit: 'records/s',
            durability: expect.stringContaining('durable'),
            ours: spread,
            floor: spread,
            ratio: spread,
            bounds: [{ of: 'ratio', is: 'at least', limit: 0.5, measured: positive }],
          },
          { name: 'JSON with zod', bounds: [{ of: 'ratio', is: 'at least', limit: 0.6 }] },
        ],
      },
    ],
  });
});

test('a second run on the same day and commit leaves the file of the first as it was', () => {
  const report = { date: '2026-11-30T00:00:00.000Z', commit: 'abcdef0', quick: true, pairs: 1, machine: {} as Report['machine'], results: [] };
  const paths = [1, 2, 3].map((pairs) => writeReport(folder, { ...report, pairs }));
  expect(paths.map((path) => basename(path))).toEqual(['2026-11-30-abcdef0.json', '2026-11-30-abcdef0-2.json', '2026-11-30-abcdef0-3.json']);
  expect(paths.map((path) => (JSON.parse(readFileSync(path, 'utf8')) as Report).pairs)).toEqual([1, 2, 3]);
});

test('every benchmark of the list asks a question', () => {
  const lines = bench('--list').trim().split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual([
    'append',
    'backup',
    'cleaning',
    'count',
    'flat',
    'keys',
    'latency',
    'partitions',
    'pressure',
    'rebuild',
    'recovery',
    'rolling',
    'scan',
    'tsc',
    'turnover',
  ]);
  for (const line of lines) expect(line).toMatch(/\?$/);
});

test('an unknown name is refused with the list of benchmarks', () => {
  expect(() => bench('apend', '--out', folder)).toThrow(/take one of append, backup, /);
});
