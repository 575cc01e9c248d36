import { describe, expect, test } from 'vitest';
import { BatchBuilder, stampBatch } from '../../pure/record/batch.ts';
import { EntryCheck } from './entry-check.ts';
import { batchKey, encodeEnds, NO_ENDS, partitionKey, seal, timeKey } from './keyspace.ts';

const batch = (base: bigint, count: number): { readonly key: Buffer; readonly value: Buffer } => {
  const builder = new BatchBuilder();
  for (let i = 0; i < count; i++) builder.append('k', 'v', 1_000);
  const value = builder.finish();
  stampBatch(value, { topicId: 3, partition: 1, baseOffset: base });
  return { key: batchKey(3, 1, base), value: Buffer.from(value) };
};
const ends = (start: bigint, end: bigint): { readonly key: Buffer; readonly value: Buffer } => {
  const key = partitionKey(3, 1);
  return { key, value: seal(key, encodeEnds({ ...NO_ENDS, start, end })) };
};
type Given = readonly { readonly key: Buffer; readonly value: Buffer }[];
const check = (log: Given, of: { readonly key: Buffer; readonly value: Buffer }): unknown => {
  const checking = new EntryCheck();
  try {
    for (const { key, value } of log) checking.see('log', key, value);
    checking.see('ends', of.key, of.value);
    return 'sound';
  } catch (error) {
    return (error as { readonly facts: { readonly reason: string } }).facts.reason;
  }
};

describe('batches', () => {
  const [a, b, c] = [batch(0n, 2), batch(2n, 3), batch(5n, 1)];
  test('batches that are adjacent up to the end of their partition are sound, even when some below its start are left', () => {
    expect(check([a, b, c], ends(0n, 6n))).toBe('sound');
    expect(check([b, c], ends(3n, 6n))).toBe('sound');
    expect(check([a, b, c], ends(6n, 6n))).toBe('sound');
    expect(check([], ends(6n, 6n))).toBe('sound');
  });
  test('a hidden batch is missed: the first, one in the middle, the last, all', () => {
    expect(check([b, c], ends(0n, 6n))).toBe('missing');
    expect(check([a, c], ends(0n, 6n))).toBe('the one before it ends at 2');
    expect(check([a, b], ends(0n, 6n))).toBe('missing');
    expect(check([], ends(0n, 6n))).toBe('missing');
  });
  test('a batch in the place of another, or with a flipped bit, is refused', () => {
    expect(check([{ key: b.key, value: a.value }], ends(0n, 6n))).toBe('misplaced');
    const value = Buffer.from(a.value);
    value[70] = value[70]! ^ 1;
    expect(check([{ key: a.key, value }], ends(0n, 6n))).not.toBe('sound');
  });
});

test('a value of another table is refused when it does not match its checksum, and an empty mark is sound', () => {
  const checking = new EntryCheck();
  const key = timeKey(3, 1, 1_000);
  const value = seal(key, Buffer.alloc(8));
  checking.see('times', key, value);
  expect(() => checking.see('times', timeKey(3, 1, 1_001), value)).toThrow(expect.objectContaining({ code: 'STOPLOG_LOG_CORRUPT' }));
  checking.see('ends', partitionKey(9, 0), seal(partitionKey(9, 0), Buffer.alloc(0)));
});
