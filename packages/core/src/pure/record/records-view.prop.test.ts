/** A cursor over records as objects agrees with the cursor over the same records as an encoded batch. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { serdeOf } from '../schema/serde.ts';
import { BatchBuilder, openBatch, stampBatch } from './batch.ts';
import type { RecordCursor } from './record-cursor.ts';
import { LazyRecord } from './record.ts';
import { RecordsView, type ViewedRecord } from './records-view.ts';

const bytes = fc.option(fc.uint8Array({ maxLength: 20 }), { nil: null });
const records = fc
  .array(
    fc.record({
      gap: fc.nat(3),
      timestamp: fc.integer({ min: -1_000, max: 1_000 }),
      key: bytes,
      value: bytes,
      headers: fc.array(fc.record({ name: fc.string({ unit: 'grapheme-ascii', maxLength: 5 }), value: bytes }), { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((found): readonly ViewedRecord[] => {
    let offsetDelta = -1;
    return found.map(({ gap, ...rest }) => ({ ...rest, offsetDelta: (offsetDelta += 1 + gap) }));
  });

const encoded = (list: readonly ViewedRecord[], lastOffsetDelta: number): RecordCursor => {
  const builder = new BatchBuilder();
  for (const { offsetDelta, key, value, timestamp, headers } of list) builder.appendAt(offsetDelta, key, value, timestamp, headers);
  const batch = builder.finish(lastOffsetDelta);
  stampBatch(batch, { topicId: 1, partition: 3, baseOffset: 70n });
  return openBatch(batch);
};
const plain = (piece: Uint8Array | null): readonly number[] | null => piece && [...piece];
/** Everything that a reader sees, by the cursor and by records that outlive its moves. */
const seen = (view: RecordCursor): unknown => {
  const serde = serdeOf('bytes');
  const moved: unknown[] = [];
  const kept: LazyRecord[] = [];
  while (view.next()) {
    const headers = view.headers().map(({ name, value }) => [name, plain(value)]);
    moved.push([view.offset, view.offsetDelta, view.timestamp, plain(view.key()), plain(view.value()), headers]);
    kept.push(new LazyRecord(view, serde, serde, 'letters'));
  }
  const lazy = kept.map((record) => [
    record.offset,
    record.partition,
    record.timestamp,
    plain(record.keyBytes),
    plain(record.valueBytes),
    record.headers.map(({ name, value }) => [name, plain(value)]),
  ]);
  return { moved, lazy, next: view.nextOffset, count: view.count };
};

describe('a cursor over records', () => {
  test('shows what the cursor over the encoded batch shows, and again after a rewind', () => {
    fc.assert(
      fc.property(records, fc.nat(3), (list, hole) => {
        const last = list.at(-1)!.offsetDelta + hole;
        const [ours, theirs] = [new RecordsView(70n, 3, list, last), encoded(list, last)];
        const first = seen(ours);
        expect(first).toEqual(seen(theirs));
        ours.rewind();
        expect(seen(ours)).toEqual(first);
      }),
    );
  });
  test('copies nothing when all keys and values are pieces of one buffer', () => {
    const buffer = new Uint8Array([9, 9, 1, 2, 3, 9]);
    const view = new RecordsView(0n, 0, [{ offsetDelta: 0, timestamp: 0, key: buffer.subarray(2, 3), value: buffer.subarray(3, 5), headers: [] }]);
    expect(view.bytes.buffer).toBe(buffer.buffer);
    expect(view.next() && [plain(view.key()), plain(view.value())]).toEqual([[1], [2, 3]]);
  });
});
