/** Store keys of any length, over LMDB and beside the memory log, which has no limit to meet. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log, StateStore } from '@stoplog/core/port';
import { openPort, sourcePartition } from '@stoplog/core/kit';
import { memoryLog } from '@stoplog/core/testing';
import { lmdb } from '@stoplog/core/lmdb';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitOf, never } from '../fixtures/letters.mjs';
import { storedWrites, valueOf } from './long-keys.ts';

const path = mkdtempSync(join(tmpdir(), 'stoplog-long-keys-'));
let logs: readonly Log[] = [];
beforeAll(async () => {
  logs = [await openPort(lmdb(path)), memoryLog()];
});
afterAll(async () => {
  for (const log of logs) await log[Symbol.asyncDispose]();
  rmSync(path, { recursive: true });
});
let stores = 0;

/** The lengths at which a key is no longer stored unchanged, and no longer in order: every length around both, and far beyond. */
const length = fc.oneof(
  fc.nat(6),
  fc.integer({ min: 3_980, max: 3_988 }),
  fc.integer({ min: 3_998, max: 4_003 }),
  fc.constantFrom(4_024, 4_026, 5_000, 100_000),
);
/** The parts of a key, for a readable report. Most keys agree for as long as the shorter one goes. */
const made = fc.tuple(length, fc.constantFrom(0, 0, 0, 0xff), fc.array(fc.nat(0xff), { maxLength: 3 }));
type Made = typeof made extends fc.Arbitrary<infer T> ? T : never;
const keyOf = ([size, fill, tail]: Made): Uint8Array => {
  const bytes = new Uint8Array(size).fill(fill);
  bytes.set(tail.slice(0, size), size - Math.min(size, tail.length));
  return bytes;
};
const write = fc.tuple(made, fc.option(fc.array(fc.nat(0xff), { maxLength: 5 }), { freq: 4 }));
const bounds = fc.record({ from: fc.option(made), after: fc.boolean(), lt: fc.option(made) });
const within = ({ from, after, lt }: typeof bounds extends fc.Arbitrary<infer T> ? T : never): Parameters<StateStore['range']>[0] => ({
  ...(from && { [after ? 'gt' : 'gte']: keyOf(from) }),
  ...(lt && { lt: keyOf(lt) }),
});
const hex = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && `${bytes.length}:${Buffer.from(bytes.subarray(0, 4)).toString('hex')}:${Buffer.from(bytes.subarray(-4)).toString('hex')}`;
const heard = (entries: ReturnType<StateStore['range']>): readonly string[] => entries.map(([key, value]) => `${hex(key)}=${hex(value)}`);

test('a key of up to 4,000 bytes is stored unchanged; a longer one under its head and its SHA-256, with the key in the value', () => {
  const [short, long] = [new Uint8Array(4_000).fill(1), new Uint8Array(4_001).fill(1)];
  const prefix = new Uint8Array(8);
  const before = { prefix, keys: [short], values: [short] };
  expect(storedWrites(before)).toBe(before);
  const { keys, values } = storedWrites({ prefix, keys: [long, long, short], values: [Uint8Array.of(5), null, short] });
  expect(keys[0]!.length).toBe(4_016);
  expect(Buffer.compare(keys[0]!, Buffer.concat([long.subarray(0, 3_984), createHash('sha256').update(long).digest()]))).toBe(0);
  expect(Buffer.compare(values[0]!, Buffer.concat([Uint8Array.of(0xa1, 0x0f, 0, 0), long, Uint8Array.of(5)]))).toBe(0);
  expect([values[1], keys[2] === short, values[2] === short]).toEqual([null, true, true]);
});

test('an entry stored under the hash of another key is damage', () => {
  const key = new Uint8Array(5_000);
  const { keys, values } = storedWrites({ prefix: new Uint8Array(8), keys: [key], values: [Uint8Array.of(5)] });
  const corrupt = expect.objectContaining({ code: 'STOPLOG_LOG_CORRUPT' }) as Error;
  expect(Array.from(valueOf(key, keys[0]!, values[0]!))).toEqual([5]);
  expect(() => valueOf(new Uint8Array(5_001), keys[0]!, values[0]!)).toThrow(corrupt);
  expect(() => valueOf(key, keys[0]!, values[0]!.subarray(0, 4_000))).toThrow(corrupt);
  expect(() => valueOf(key, keys[0]!, new Uint8Array(3))).toThrow(corrupt);
});

test('a store with keys of any length reads as one in memory does: each key, every range, every page of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 25 }), fc.array(bounds, { maxLength: 4 }), fc.integer({ min: 1, max: 4 }), async (plan, ranges, page) => {
      const part = { store: `s${stores++}`, partition: 0, group: 'g', version: 1, fingerprint: '' };
      const parts = await Promise.all(logs.map((log) => log.store(part, never)));
      const writes = plan.map(([key, value]) => [keyOf(key), value && Uint8Array.from(value)] as const);
      const half = writes.length >> 1;
      for (const some of [writes.slice(0, half), writes.slice(half)])
        for (const log of logs)
          await log.commit(
            commitOf({
              group: 'g',
              stores: [{ store: part.store, partition: 0, keys: some.map(([key]) => key), values: some.map(([, value]) => value) }],
              positions: [{ ...sourcePartition('writer'), from: 0n, to: 0n }],
            }),
          );
      const [ours, oracle] = parts as [StateStore, StateStore];
      for (const [key] of writes) expect(hex(ours.get(key))).toBe(hex(oracle.get(key)));
      for (const range of [{}, ...ranges.map(within)] as Parameters<StateStore['range']>[0][]) {
        const expected = heard(oracle.range(range, 100));
        expect(heard(ours.range(range, 100))).toEqual(expected);
        const paged: (readonly [Uint8Array, Uint8Array])[] = [];
        const { lt } = range;
        for (let chunk = ours.range(range, page); chunk.length > 0; chunk = ours.range({ ...(lt && { lt }), gt: paged.at(-1)![0] }, page)) {
          expect(chunk.length).toBeLessThanOrEqual(page);
          paged.push(...chunk);
        }
        expect(heard(paged)).toEqual(expected);
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);
