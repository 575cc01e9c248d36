/** Stamping a batch changes the times of its records and nothing else, in place or by rebuilding. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stampTime } from './arrival-time.ts';
import { BatchBuilder, checkBatchShape, stampBatch } from './batch.ts';

const time = fc.oneof(fc.constantFrom(7, 7, 7, 8, -1, 2 ** 53 - 1, 1 - 2 ** 53), fc.maxSafeInteger());
const bytes = fc.option(fc.uint8Array({ maxLength: 200 }));
const record = fc.record({
  gap: fc.constantFrom(0, 0, 0, 3),
  key: bytes,
  value: bytes,
  time,
  headers: fc.array(fc.record({ name: fc.string({ unit: 'binary', maxLength: 3 }), value: fc.option(fc.uint8Array({ maxLength: 3 })) }), { maxLength: 2 }),
});
const read = (batch: Uint8Array): readonly unknown[] => {
  const view = checkBatchShape(batch);
  const records: unknown[] = [view.baseOffset, view.nextOffset, view.topicId, view.partition, view.deleteHorizon];
  while (view.next()) records.push([view.offset, view.key(), view.value(), view.headers()]);
  return records;
};

test('every record has the time and is otherwise unchanged; stamping twice equals stamping once, with the later time', () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 6 }), fc.option(fc.maxSafeNat()), fc.nat(3), time, time, (records, horizon, tail, first, second) => {
      const builder = new BatchBuilder();
      let delta = 0;
      for (const { gap, key, value, time, headers } of records) builder.appendAt((delta += gap + 1) - 1, key, value, time, headers);
      const batch = builder.finish(Math.max(0, delta - 1 + tail), records.length === 0 ? undefined : (horizon ?? undefined));
      // A reused builder makes a batch without a place; a batch that is stamped in place keeps its own.
      const before = read(batch);
      for (const at of [first, second]) {
        const stamped = stampTime(batch.slice(), at);
        expect(read(stamped)).toEqual(before);
        const again = stampTime(stamped, at);
        expect(again).toBe(stamped);
        const view = checkBatchShape(again);
        while (view.next()) expect(view.timestamp).toBe(at + 0);
        if (records.length > 0) expect([view.baseTimestamp, view.maxTimestamp]).toEqual([at + 0, at + 0]);
      }
    }),
  );
});

test('a batch whose records have equal times is stamped in place, and keeps its place in the log', () => {
  const builder = new BatchBuilder();
  for (let i = 0; i < 3; i++) builder.append('k', `${i}`, 5);
  const batch = builder.finish();
  stampBatch(batch, { topicId: 1, partition: 2, baseOffset: 3n });
  expect(stampTime(batch, 9)).toBe(batch);
  expect(checkBatchShape(batch)).toMatchObject({ topicId: 1, partition: 2, baseOffset: 3n, maxTimestamp: 9 });
});

test('a damaged batch is refused', () => {
  const builder = new BatchBuilder();
  builder.append('k', 'v', 5);
  const batch = builder.finish();
  batch[batch.length - 1]! ^= 1;
  expect(() => stampTime(batch, 9)).toThrow(expect.objectContaining({ code: 'STOPLOG_LOG_CORRUPT' }));
});
