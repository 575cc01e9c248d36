/** Commits come from our own threads, and still: the writer survives any bytes, and never holds more than it was given. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCommit, encodeCommit } from './commit-bytes.ts';

/** Counts and sizes are at the front and in every piece: half of the numbers are small, so that some of them fit. */
const noise = fc.array(fc.oneof(fc.nat(4), fc.nat(0xffff_ffff)), { maxLength: 60 }).map((words) => new Uint8Array(Uint32Array.from(words).buffer));
const decoded = (bytes: Uint8Array): void => {
  let commit: ReturnType<typeof decodeCommit>;
  try {
    commit = decodeCommit(Uint8Array.from(bytes).buffer);
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return;
  }
  const { positions, appends, entries } = commit;
  // Each piece took bytes of its own: none was made up.
  expect(24 * positions.length + 16 * appends.length + 4 * entries.length).toBeLessThanOrEqual(bytes.length);
  expect(appends.reduce((sum, { batch }) => sum + batch.length, 0) + entries.reduce((sum, entry) => sum + (entry?.length ?? 0), 0)).toBeLessThanOrEqual(
    bytes.length,
  );
};

describe('any bytes', () => {
  test('any bytes are decoded as a commit or refused with a RangeError, and no piece is larger than the bytes', () => {
    fc.assert(fc.property(noise, decoded), { numRuns: 5_000 });
    fc.assert(fc.property(fc.uint8Array({ maxLength: 120 }), decoded), { numRuns: 2_000 });
  });
  test('a real commit with a few changed bytes is decoded or refused, too', () => {
    const real = new Uint8Array(
      encodeCommit({
        groupId: 1,
        epoch: 2,
        positions: [{ topicId: 1, partition: 0, from: 0n, to: 3n }],
        appends: [
          { topicId: 1, partition: 0, batch: new Uint8Array(40) },
          { topicId: 1, partition: 1, batch: new Uint8Array(4), producer: { id: 1, epoch: 1, sequence: 0 }, expectedEnd: 3n },
        ],
        stores: [{ prefix: new Uint8Array(8), keys: [new Uint8Array(5), new Uint8Array(2)], values: [new Uint8Array(9), null] }],
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(real.length - 1), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff)), { minLength: 1, maxLength: 5 }), (changes) => {
        const changed = Uint8Array.from(real);
        for (const [at, byte] of changes) changed[at] = byte;
        decoded(changed);
      }),
      { numRuns: 5_000 },
    );
  });
  test('bytes that claim billions of pieces take at most four times their size and a mebibyte', () => {
    const bytes = new Uint8Array(1_000_000).fill(0xff);
    for (const changed of [bytes, Uint8Array.from(bytes, (byte, i) => (i % 4 === 3 ? 0x0f : byte))]) {
      const before = process.memoryUsage();
      decoded(changed);
      const after = process.memoryUsage();
      expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(4 * changed.length + 2 ** 20);
    }
  });
});
