/** Compaction against a model: a list of records, and the list that must be left. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../bytes/text.ts';
import { BatchBuilder, openBatch, stampBatch, type BatchView } from '../record/batch.ts';
import { cleanable, cleanBatch, mapKeys } from './compaction.ts';
import { KeyOffsets } from './key-offsets.ts';
import { emptySegment, type Segment } from './segment.ts';

interface Entry {
  readonly offset: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly timestamp: number;
}
const entry = fc.record({
  key: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'é', 'x'.repeat(1_900)), { freq: 8 }),
  value: fc.option(fc.string({ maxLength: 3 }), { freq: 3 }),
  timestamp: fc.integer({ min: -5, max: 5 }),
  gap: fc.constantFrom(0, 0, 0, 3),
});
const batches = fc.array(fc.array(entry, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 });

const build = (
  plan: readonly (readonly { key: string | null; value: string | null; timestamp: number; gap: number }[])[],
): { readonly log: Map<bigint, Uint8Array>; readonly entries: Entry[]; readonly end: number } => {
  const log = new Map<bigint, Uint8Array>();
  const entries: Entry[] = [];
  let base = 0;
  for (const records of plan) {
    const builder = new BatchBuilder();
    let delta = -1;
    for (const { key, value, timestamp, gap } of records) {
      delta += 1 + gap;
      builder.appendAt(delta, key, value, timestamp, [{ name: 'h', value: utf8(String(base + delta)) }]);
      entries.push({ offset: base + delta, key, value, timestamp });
    }
    const bytes = builder.finish(delta + 1);
    stampBatch(bytes, { topicId: 1, partition: 0, baseOffset: BigInt(base) });
    log.set(BigInt(base), bytes);
    base += delta + 2;
  }
  return { log, entries, end: base };
};
const views = (log: Map<bigint, Uint8Array>): readonly BatchView[] => [...log].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, bytes]) => openBatch(bytes));
const all = (log: Map<bigint, Uint8Array>): Entry[] => {
  const entries: Entry[] = [];
  for (const view of views(log)) {
    while (view.next()) {
      const [key, value] = [view.key(), view.value()];
      expect(Buffer.from(view.headers()[0]!.value!).toString()).toBe(String(view.offset));
      entries.push({
        offset: Number(view.offset),
        key: key && Buffer.from(key).toString(),
        value: value && Buffer.from(value).toString(),
        timestamp: view.timestamp,
      });
    }
  }
  return entries;
};
/** Runs passes from `from` to `to` with a map so small that one pass may not suffice; may stop after a number of batches, as a crash does. */
const clean = (log: Map<bigint, Uint8Array>, from: bigint, to: bigint, now: number, deleteRetentionMs: number, slots: number, steps = Infinity): bigint => {
  let at = from;
  do {
    const keys = new KeyOffsets([1, 2], slots);
    let end = to;
    for (const view of views(log)) {
      if (view.nextOffset <= at || view.baseOffset >= end) continue;
      end = mapKeys(view, keys, 0n, at, to) ?? end;
    }
    const below = views(log).filter(({ baseOffset }) => baseOffset < end);
    for (const view of below) {
      if (steps-- <= 0) return at;
      const { bytes } = cleanBatch(view, { keys, origin: 0n, start: 0n, to: end, now, deleteRetentionMs });
      if (bytes !== undefined) {
        stampBatch(bytes, { topicId: 1, partition: 0, baseOffset: view.baseOffset });
        log.set(view.baseOffset, bytes);
      }
    }
    at = end;
  } while (at < to);
  return at;
};
const fold = (entries: readonly Entry[]): ReadonlyMap<string, string> => {
  const table = new Map<string, string>();
  for (const { key, value } of entries) {
    if (key !== null && value === null) table.delete(key);
    else if (key !== null && value !== null) table.set(key, value);
  }
  return table;
};
/** The result of one pass over a clean range below `to`: the latest record of each key below it, tombstones too, and all records from there. */
const expected = (entries: readonly Entry[], to: number): Entry[] =>
  entries.filter(
    (one) => one.offset >= to || (one.key !== null && !entries.some((later) => later.key === one.key && later.offset > one.offset && later.offset < to)),
  );

describe('compaction', () => {
  test('a pass leaves the latest record of each key below its end, everything at its head, and all of it unchanged', () => {
    fc.assert(
      fc.property(batches, fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(2, 4, 1024), (plan, share, slots) => {
        const { log, entries, end } = build(plan);
        const to = Math.floor(share * (end + 1));
        clean(log, 0n, BigInt(to), 100, 50, slots);
        expect(all(log)).toEqual(expected(entries, to));
      }),
    );
  });
  test('a fold of the log ends as before, after any sequence of passes, each cut off anywhere', () => {
    const pass = fc.record({
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      later: fc.nat(60),
      steps: fc.option(fc.nat(6)),
      slots: fc.constantFrom(2, 1024),
    });
    fc.assert(
      fc.property(batches, fc.array(pass, { maxLength: 6 }), fc.nat(50), (plan, passes, deleteRetentionMs) => {
        const { log, entries, end } = build(plan);
        let cleanTo = 0n;
        let now = 0;
        for (const { share, later, steps, slots } of passes) {
          const to = BigInt(Math.floor(share * (end + 1)));
          now += later;
          cleanTo = clean(log, cleanTo, to > cleanTo ? to : cleanTo, now, deleteRetentionMs, slots, steps ?? Infinity);
          expect(fold(all(log))).toEqual(fold(entries));
          const left = all(log);
          expect(left).toEqual(entries.filter(({ offset }) => left.some((one) => one.offset === offset)));
        }
      }),
      { numRuns: 300 },
    );
  });
  test('L6: a tombstone goes only when no older record of its key is left and its time since the first cleaning has passed', () => {
    fc.assert(
      fc.property(batches, fc.nat(50), fc.array(fc.nat(60), { maxLength: 5 }), (plan, deleteRetentionMs, waits) => {
        const { log, entries, end } = build(plan);
        const latest = entries.filter((one) => one.value === null && expected(entries, end).includes(one));
        let now = 10;
        clean(log, 0n, BigInt(end), now, deleteRetentionMs, 1024);
        const horizon = now + deleteRetentionMs;
        for (const wait of waits) {
          now += wait;
          clean(log, BigInt(end), BigInt(end), now, deleteRetentionMs, 1024);
          const left = all(log);
          const gone = now >= horizon;
          for (const one of latest) expect(left.some(({ offset }) => offset === one.offset)).toBe(!gone);
          if (gone) return;
        }
      }),
    );
  });
  test('an emptied batch stays under its key, and owns the same offsets', () => {
    const { log } = build([[{ key: 'a', value: '1', timestamp: 0, gap: 0 }], [{ key: 'a', value: null, timestamp: 0, gap: 0 }]]);
    clean(log, 0n, 4n, 0, 0, 1024);
    clean(log, 4n, 4n, 0, 0, 1024);
    expect(views(log).map(({ baseOffset, nextOffset, count }) => [baseOffset, nextOffset, count])).toEqual([
      [0n, 2n, 0],
      [2n, 4n, 0],
    ]);
  });
});

describe('the range of a pass', () => {
  const segment = (base: number, next: number, bytes: number, time: number): Segment => ({
    base: BigInt(base),
    next: BigInt(next),
    bytes,
    firstTimestamp: time - 1,
    maxTimestamp: time,
    firstArrival: 10 * time - 1,
    lastArrival: 10 * time,
  });
  const cleanup = { minCompactionLagMs: 0, maxCompactionLagMs: Infinity, minDirtyRatio: 0.5, ageBy: 'timestamp' } as const;
  const segments = [segment(0, 10, 100, 5), segment(10, 20, 60, 9), segment(20, 30, 60, 7), emptySegment(30n)];
  const at = { start: 0n, cleanTo: 10n };

  test('it ends before the active segment', () => {
    expect(cleanable(segments, at, cleanup, 100)).toEqual({ from: 10n, to: 30n, cleanBytes: 100, dirtyBytes: 120, due: true });
  });
  test('it ends before the first segment whose latest record is younger than the lag, though later ones are older', () => {
    expect(cleanable(segments, at, { ...cleanup, minCompactionLagMs: 92 }, 100)).toMatchObject({ to: 10n, dirtyBytes: 0, due: false });
    expect(cleanable(segments, at, { ...cleanup, minCompactionLagMs: 91 }, 100)).toMatchObject({ to: 30n });
    expect(cleanable(segments, at, { ...cleanup, minCompactionLagMs: 20, ageBy: 'arrival' }, 89)).toMatchObject({ to: 10n });
  });
  test('without a lag no record is too young for a pass, including one that is dated in the future', () => {
    for (const ageBy of ['timestamp', 'arrival'] as const)
      expect(cleanable(segments, at, { ...cleanup, ageBy }, 1)).toEqual({ from: 10n, to: 30n, cleanBytes: 100, dirtyBytes: 120, due: true });
  });
  test('it is due by the share of new bytes, or when the oldest of them is older than the largest lag', () => {
    expect(cleanable(segments, at, { ...cleanup, minDirtyRatio: 0.55 }, 100).due).toBe(false);
    expect(cleanable(segments, at, { ...cleanup, minDirtyRatio: 0.54 }, 100).due).toBe(true);
    expect(cleanable(segments, at, { ...cleanup, minDirtyRatio: 1, maxCompactionLagMs: 94 }, 100).due).toBe(false);
    expect(cleanable(segments, at, { ...cleanup, minDirtyRatio: 1, maxCompactionLagMs: 93 }, 100).due).toBe(true);
  });
  test('offsets below a start that has moved no longer count as clean', () => {
    expect(cleanable(segments, { start: 25n, cleanTo: 10n }, cleanup, 100)).toMatchObject({ from: 25n, to: 30n });
  });
});
