import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commitSize, decodeCommit, encodeCommit, type IdAppend, type IdCommit } from './commit-bytes.ts';
import { unseal } from './keyspace.ts';

const u32 = fc.nat(0xffff_ffff);
const u64 = fc.bigInt(0n, 2n ** 64n - 1n);
const bytes = fc.uint8Array({ maxLength: 20 });
const commits: fc.Arbitrary<IdCommit> = fc.record({
  groupId: u32,
  epoch: fc.maxSafeNat(),
  positions: fc.array(fc.record({ topicId: u32, partition: u32, from: u64, to: u64 }), { maxLength: 4 }),
  appends: fc.array(
    fc.record({
      topicId: u32,
      partition: u32,
      batch: bytes,
      producer: fc.option(fc.record({ id: u32, epoch: fc.maxSafeNat(), sequence: fc.maxSafeNat() }), { nil: undefined }),
      expectedEnd: fc.option(u64, { nil: undefined }),
    }),
    { maxLength: 4 },
  ),
  stores: fc.array(
    fc
      .record({ prefix: fc.uint8Array({ minLength: 8, maxLength: 8 }), entries: fc.array(fc.tuple(bytes, fc.option(bytes)), { maxLength: 4 }) })
      .map(({ prefix, entries }) => ({ prefix, keys: entries.map(([key]) => key), values: entries.map(([, value]) => value) })),
    { maxLength: 3 },
  ),
});
const hex = (piece: Uint8Array): string => Buffer.from(piece).toString('hex');

describe('a commit as bytes', () => {
  test('a commit decodes to its ids, positions, batches, and store entries under their whole keys, sealed', () => {
    fc.assert(
      fc.property(commits, (commit) => {
        const encoded = encodeCommit(commit);
        expect(encoded.byteLength).toBe(commitSize(commit));
        const { groupId, epoch, positions, appends, entries } = decodeCommit(encoded);
        expect({ groupId, epoch, positions }).toEqual({ groupId: commit.groupId, epoch: commit.epoch, positions: commit.positions });
        const heard = (append: IdAppend): unknown => ({ ...append, batch: hex(append.batch) });
        expect(appends.map(heard)).toEqual(commit.appends.map(heard));
        const expected = commit.stores.flatMap(({ prefix, keys, values }) => keys.map((key, i) => [hex(prefix) + hex(key), values[i] ? hex(values[i]) : null]));
        const found = expected.map((_, i) => {
          const [key, sealed] = [entries[2 * i]!, entries[2 * i + 1]];
          return [hex(key), sealed ? hex(unseal('stores', key, sealed)) : null];
        });
        expect(found).toEqual(expected);
        expect(entries.length).toBe(2 * expected.length);
      }),
    );
  });
  test('a commit that is cut anywhere is refused, and never read beyond its end', () => {
    fc.assert(
      fc.property(commits, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (commit, at) => {
        const encoded = encodeCommit(commit);
        expect(() => decodeCommit(encoded.slice(0, Math.floor(at * encoded.byteLength)))).toThrow(RangeError);
      }),
    );
  });
});
