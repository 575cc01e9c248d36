/** A partition rebuilt from any remaining batches passes the check. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openBatch } from '../../../pure/record/batch.ts';
import { partitionOf } from './fixtures/partition.ts';
import { fitting, gapsIn, rebuild, type Piece } from './rebuild.ts';
import { checkSegments } from './segment-check.ts';
import { checkTimes } from './time-check.ts';

const batches = fc.array(
  fc.array(fc.record({ key: fc.constant('k'), value: fc.constant('v'), time: fc.integer({ min: 0, max: 50 }) }), { minLength: 1, maxLength: 5 }),
  { maxLength: 20 },
);
const pieceOf = (bytes: Uint8Array): Piece => {
  const { baseOffset, nextOffset, count, baseTimestamp, maxTimestamp } = openBatch(bytes);
  return { base: baseOffset, next: nextOffset, bytes: bytes.length, count, baseTimestamp, maxTimestamp };
};
const filler = ({ offset, until }: { readonly offset: bigint; readonly until: bigint }): Piece => ({
  base: offset,
  next: until,
  bytes: 56,
  count: 0,
  baseTimestamp: 0,
  maxTimestamp: -Infinity,
});
const inOrder = (pieces: readonly Piece[]): readonly Piece[] => [...pieces].sort((a, b) => Number(a.base - b.base));

test('ends, segments and times match the remaining batches, and every offset has one', () => {
  fc.assert(
    fc.property(batches, fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }), fc.boolean(), fc.nat(9), (all, isLost, segmentsAreLost, beyond) => {
      const { ends: known, segments, batches } = partitionOf(all, 200);
      const ends = { ...known, end: known.end + BigInt(beyond) };
      const kept = batches.filter((_, i) => isLost[i] !== true).map(({ bytes }) => pieceOf(bytes));
      const gaps = gapsIn(kept, ends.start, ends.end);
      const pieces = inOrder([...kept, ...gaps.map(filler)]);
      expect(gapsIn(pieces, ends.start, ends.end)).toEqual([]);
      expect(pieces.reduce((sum, { base, next }) => sum + next - base, 0n)).toBe(ends.end - ends.start);
      const rebuilt = rebuild(pieces, ends, segmentsAreLost ? segments.slice(1) : segments);
      const place = { topic: 't', partition: 0 };
      const checked = pieces.map(({ base, bytes, maxTimestamp }) => ({ base, bytes, maxTimestamp }));
      expect(checkSegments(place, rebuilt.ends, rebuilt.segments, checked)).toEqual([]);
      expect(checkTimes(place, rebuilt.ends, rebuilt.times, checked)).toEqual([]);
      expect(rebuilt.ends.bytes).toBe(pieces.reduce((sum, { bytes }) => sum + bytes, 0));
    }),
  );
});

test('the chosen candidates are whole in a gap and do not overlap', () => {
  const piece = (base: bigint, next: bigint): Piece => ({ base, next, bytes: 1, count: 1, baseTimestamp: 0, maxTimestamp: 0 });
  const gaps = gapsIn([piece(0n, 4n), piece(10n, 12n)], 2n, 20n);
  expect(gaps).toEqual([
    { offset: 4n, until: 10n },
    { offset: 12n, until: 20n },
  ]);
  const candidates = [piece(13n, 21n), piece(3n, 5n), piece(4n, 6n), piece(5n, 8n), piece(6n, 10n), piece(15n, 17n)];
  expect(fitting(candidates, gaps, 2n).map(({ base, next }) => [base, next])).toEqual([
    [4n, 6n],
    [6n, 10n],
    [15n, 17n],
  ]);
  expect(fitting([piece(1n, 4n)], gapsIn([], 2n, 20n), 2n).length).toBe(1);
});
