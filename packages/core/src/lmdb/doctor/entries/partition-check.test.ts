import { describe, expect, test } from 'vitest';
import type { Ends } from '../../layout/keyspace.ts';
import { batchAt, partitionOf, PLACE, type TestBatch, type TestPartition, type TestRecord } from './fixtures/partition.ts';
import { PartitionCheck } from './partition-check.ts';
import type { Finding } from '../../../pure/log/finding.ts';

const record = (n: number, value: string | null = `value ${n}`): TestRecord => ({ key: `k${n % 4}`, value, time: 1_000 + ((n * 7) % 10) });
const sound = partitionOf(Array.from({ length: 8 }, (_, i) => [record(3 * i), record(3 * i + 1), record(3 * i + 2)]));
const check = (
  { batches, ends, segments, times }: TestPartition,
  { compacts = false, last = ends }: { compacts?: boolean; last?: Ends } = {},
): readonly Finding[] => {
  const state = new PartitionCheck({ ...PLACE, compacts }, ends);
  for (const { key, bytes } of batches) state.take(key, bytes);
  return state.finish(last, segments, times);
};
const rules = (findings: readonly Finding[]): readonly string[] => [...new Set(findings.map(({ rule }) => rule))];
const without = (i: number): readonly TestBatch[] => sound.batches.filter((_, at) => at !== i);
const changed = (i: number, change: (bytes: Uint8Array) => void): readonly TestBatch[] =>
  sound.batches.map(({ key, bytes }, at) => {
    const copy = Uint8Array.from(bytes);
    if (at === i) change(copy);
    return { key, bytes: copy };
  });

test('a partition as the writer makes it has no findings', () => {
  expect(sound.segments.length).toBeGreaterThan(1);
  expect(check(sound)).toEqual([]);
  expect(check(partitionOf([]))).toEqual([]);
});

describe('a finding names the offsets that it concerns', () => {
  test.each([
    ['missing at the start', 0, 0n, 3n],
    ['missing in the middle', 3, 9n, 12n],
    ['missing at the end', 7, 21n, 24n],
  ])('a batch that is %s is found', (_, i, offset, until) => {
    const findings = check({ ...sound, batches: without(i) });
    expect(findings.filter(({ rule }) => rule === 'gap')).toMatchObject([{ topic: 'letters', partition: 1, offset, until, what: 'no batch is there' }]);
  });
  test('a batch with a flipped bit is found, up to the next one', () => {
    const findings = check({ ...sound, batches: changed(2, (bytes) => (bytes[70]! ^= 4)) });
    expect(findings[0]).toMatchObject({ rule: 'checksum', offset: 6n, until: 9n });
  });
  test('a batch under the key of another is found', () => {
    const batches = sound.batches.map(({ key, bytes }, i) => ({ key, bytes: i === 4 ? sound.batches[5]!.bytes : bytes }));
    expect(check({ ...sound, batches })[0]).toMatchObject({ rule: 'place', offset: 12n });
  });
  test('two values at one offset are found', () => {
    const batches = [...sound.batches.slice(0, 3), batchAt(8n, [record(1)]), ...sound.batches.slice(3)];
    expect(check({ ...sound, batches }).find(({ rule }) => rule === 'overlap')).toMatchObject({ offset: 8n });
  });
  test('an end before the last record is found, since its offset would be assigned again', () => {
    expect(check(sound, { last: { ...sound.ends, end: 20n } }).find(({ rule }) => rule === 'end')).toMatchObject({ offset: 24n });
  });
});

describe('derived entries must match', () => {
  test.each<readonly [string, Partial<TestPartition>, string]>([
    ['the sum of bytes', { ends: { ...sound.ends, bytes: sound.ends.bytes + 1 } }, 'bytes'],
    ['the bytes of a closed segment', { segments: sound.segments.map((one, i) => (i === 0 ? { ...one, bytes: one.bytes - 1 } : one)) }, 'segment'],
    ['the bytes of the active one', { ends: { ...sound.ends, active: { ...sound.ends.active, bytes: 7 } } }, 'segment'],
    ['segments beside each other', { segments: sound.segments.slice(1) }, 'segment'],
    ['the largest time of a segment', { segments: sound.segments.map((one) => ({ ...one, maxTimestamp: 0 })) }, 'segment'],
    ['an entry for each new largest time', { times: sound.times.slice(1) }, 'time'],
    ['the batch an entry leads to', { times: sound.times.map((one, i) => (i === 0 ? { ...one, base: 1n } : one)) }, 'time'],
    ['the order of the entries', { times: sound.times.map(({ time }, i) => ({ time, base: sound.times.at(-1 - i)!.base })) }, 'time'],
    ['the largest time of all', { ends: { ...sound.ends, maxTimestamp: 5_000 } }, 'time'],
    ['how far it is compacted', { ends: { ...sound.ends, cleanTo: 99n } }, 'compaction'],
  ])('a difference in %s is found', (_, difference, rule) => expect(rules(check({ ...sound, ...difference }))).toEqual([rule]));
});

describe('below the point up to which a topic is compacted', () => {
  const compacted = (batches: readonly TestBatch[], cleanTo: bigint): readonly Finding[] => {
    const state = new PartitionCheck({ ...PLACE, compacts: true }, { ...sound.ends, cleanTo });
    for (const { key, bytes } of batches) state.take(key, bytes);
    return state.findings.filter(({ rule }) => rule === 'compaction');
  };
  const put = (key: string | null, value: string | null): TestRecord => ({ key, value, time: 1 });
  test('a key that is there twice is found', () => {
    const batches = [batchAt(0n, [put('a', '1'), put('b', '2')]), batchAt(2n, [put('c', '3'), put('a', '4')])];
    expect(compacted(batches, 4n)).toMatchObject([{ offset: 3n, what: expect.stringContaining('offset 0 too') }]);
    expect(compacted(batches, 3n)).toEqual([]);
  });
  test('a record without a key is found', () => expect(compacted([batchAt(0n, [put(null, '1')])], 1n)).toMatchObject([{ offset: 0n }]));
  test('a tombstone without a delete horizon is found', () => {
    expect(compacted([batchAt(0n, [put('a', null)])], 1n)).toMatchObject([{ what: expect.stringContaining('1 tombstones') }]);
    expect(compacted([batchAt(0n, [put('a', null)], 77)], 1n)).toEqual([]);
  });
  test('keys that do not fit in memory are counted', () => {
    const state = new PartitionCheck({ ...PLACE, compacts: true }, { ...sound.ends, cleanTo: 9n }, 4);
    const { key, bytes } = batchAt(
      0n,
      Array.from({ length: 8 }, (_, i) => put(`k${i}`, 'x')),
    );
    state.take(key, bytes);
    expect([state.uncompared, state.findings]).toEqual([5, []]);
  });
});

describe('while other processes write', () => {
  test('appends explain records after the end that was read first', () => {
    const state = new PartitionCheck(PLACE, { ...sound.ends, end: 12n, bytes: sound.batches.slice(0, 4).reduce((sum, { bytes }) => sum + bytes.length, 0) });
    for (const { key, bytes } of sound.batches) state.take(key, bytes);
    expect([state.finish(sound.ends, sound.segments, sound.times), state.isSettled(sound.ends)]).toEqual([[], true]);
  });
  test('batches that were trimmed meanwhile are not missing, and their sums are not settled', () => {
    const state = new PartitionCheck(PLACE, sound.ends);
    for (const { key, bytes } of sound.batches.slice(2)) state.take(key, bytes);
    const last = { ...sound.ends, start: 6n };
    expect(state.finish(last, sound.segments, sound.times).filter(({ rule }) => rule === 'gap')).toEqual([]);
    expect(state.isSettled(last)).toBe(false);
  });
});
