/**
 * Case O04: one bad bit, half the log. Ten thousand records, and copies of their file with each kind of damage: the check
 * tells it or nothing is missing, and what a repair keeps is what was written, counted to the offset. All of it in this
 * process: that it lives is part of the test.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lmdb } from '@stoplog/core/lmdb';
import { isDamage, loadLogModule, openPort, type CheckReport, type LogModule, type RepairReport } from '@stoplog/core/port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { DAMAGES, makeKnownLog, recordsIn, usedBytes, withData, type Originals } from './fixtures/damaged.ts';
import { readLetters, withFolder } from './fixtures/child.ts';
import { append, never, place } from './fixtures/letters.mjs';

const RECORDS = 10_000;
const TIMES: Readonly<Record<string, number>> = { 'a flipped bit': 40, 'an end cut off': 6, 'zeros over 4 KB': 6, 'two pages swapped': 6 };

let folder: string;
let original: string;
let originals: Originals;
let data: Buffer;
let module: LogModule;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stoplog-o04-'));
  original = join(folder, 'log');
  originals = await makeKnownLog(original, RECORDS);
  data = usedBytes(original);
  module = await loadLogModule(lmdb(original));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const chance = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};
const check = (path: string): Promise<CheckReport> => module.check(lmdb(path).options);
const repair = (path: string, to: string): Promise<RepairReport> => module.repair(lmdb(path).options, to);
const lostIn = ({ partitions }: RepairReport): ReadonlySet<string> =>
  new Set(
    partitions.flatMap(({ partition, lost }) =>
      lost.flatMap(({ offset, until }) => Array.from({ length: Number(until - offset) }, (_, i) => `${partition} ${offset + BigInt(i)}`)),
    ),
  );

test('a log that is sound has nothing to tell, and repaired it is the same', async () => {
  const report = await check(original);
  expect(report).toMatchObject({ findings: [], notes: [], topics: 1, partitions: 2, records: RECORDS, isWhole: true });
  const repaired = await repair(original, join(folder, 'same'));
  expect(repaired).toMatchObject({ lostOffsets: 0, restarted: [], missing: {}, positionsKept: 2, stores: [{ store: 's', entries: RECORDS / 40, isKept: true }] });
  expect(recordsIn(join(folder, 'same')).records).toEqual(originals);
});

describe.each(Object.keys(TIMES))('after %s', (kind) => {
  test('nothing is missing without a finding, and a repair keeps what was written and counts what is lost', async () => {
    const random = chance(seed + Object.keys(TIMES).indexOf(kind));
    const tally = { harmless: 0, found: 0, repaired: 0, 'nothing to prove': 0, 'records lost': 0 };
    for (let i = 0; i < TIMES[kind]!; i++) {
      const [copy, to] = [join(folder, `${kind} ${i}`), join(folder, `${kind} ${i} repaired`)];
      withData(original, copy, DAMAGES[kind]!(data, random));
      const before = readdirSync(copy);
      const { findings } = await check(copy);
      const what = `seed ${seed}, copy ${i}: ${JSON.stringify(findings.slice(0, 3), (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))}`;
      tally[findings.some(isDamage) ? 'found' : 'harmless']++;
      const report = await repair(copy, to).catch((error: unknown) => error as { readonly code: string });
      expect(readdirSync(copy), what).toEqual(before);
      if ('code' in report) {
        expect([report.code, findings.length > 0], what).toEqual(['STOPLOG_LOG_CORRUPT', true]);
        tally['nothing to prove']++;
      } else {
        const left = recordsIn(to);
        const lost = lostIn(report);
        // Behind this an end that was lost with everything before it may have been.
        const reached = new Map(report.partitions.map(({ partition, reached }) => [partition, reached]));
        const isUnknown = (where: string): boolean => BigInt(where.slice(2)) >= (reached.get(Number(where[0])) ?? 2n ** 63n);
        const missing = [...originals.keys()].filter((where) => !left.records.has(where));
        expect([...left.records].filter(([where, text]) => originals.get(where) !== text), what).toEqual([]);
        expect(report.lostOffsets, what).toBe(lost.size);
        expect(missing.filter((where) => !lost.has(where) && !isUnknown(where)).length, what).toBe(0);
        expect([...lost].filter((where) => left.records.has(where)).length, what).toBe(0);
        for (const { partition, end, endIsKnown } of report.partitions) {
          expect(left.ends.get(partition), what).toBe(end);
          if (endIsKnown) expect(end, what).toBe(BigInt(RECORDS / 2));
          else expect(end, what).toBeGreaterThanOrEqual(BigInt(RECORDS / 2));
        }
        if (lost.size > 0) expect(findings.some(isDamage), what).toBe(true);
        tally.repaired++;
        tally['records lost'] += lost.size;
      }
      for (const gone of [copy, to]) rmSync(gone, { recursive: true, force: true });
    }
    console.log(`seed ${seed}, ${data.length / 8192} pages, ${kind}:`, tally);
  });
});
