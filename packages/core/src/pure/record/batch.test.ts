import { describe, expect, test } from 'vitest';
import { utf8 } from '../bytes/text.ts';
import { BatchBuilder, checkBatchShape, HEADER_SIZE, inspectHeader, MAX_KEY_BYTES, MAX_RECORD_BYTES, openBatch, stampBatch, type BatchView } from './batch.ts';
import type { Header } from './header.ts';

const damage = expect.objectContaining({ code: 'STOPLOG_LOG_CORRUPT' }) as Error;
const small = (): Uint8Array => {
  const builder = new BatchBuilder();
  builder.append('k1', 'v', 1_000);
  builder.append('k1', null, 1_005, [
    { name: 'h', value: null },
    { name: 'h', value: utf8('x') },
  ]);
  builder.appendAt(7, null, '', -2_000);
  builder.append('', utf8('\0'), 2 ** 53 - 1);
  const bytes = builder.finish(20);
  stampBatch(bytes, { topicId: 3, partition: 5, baseOffset: 2n ** 40n });
  return bytes;
};

describe('batch', () => {
  test('a batch knows its place, its extent and its times', () => {
    const view = openBatch(small());
    expect(view).toMatchObject({
      topicId: 3,
      partition: 5,
      baseOffset: 2n ** 40n,
      count: 4,
      lastOffsetDelta: 20,
      baseTimestamp: 1_000,
      maxTimestamp: 2 ** 53 - 1,
    });
    expect(view.nextOffset).toBe(2n ** 40n + 21n);
    const offsets: bigint[] = [];
    while (view.next()) offsets.push(view.offset - view.baseOffset);
    expect(offsets).toEqual([0n, 1n, 7n, 8n]);
  });

  test('null and empty are different, for keys and values', () => {
    const builder = new BatchBuilder();
    for (const [key, value] of [
      ['k1', 'v'],
      ['k1', null],
      ['k2', ''],
      [null, null],
      ['', ''],
    ] as const)
      builder.append(key, value, 0);
    expect(recordsOf(openBatch(builder.finish())).map(({ key, value }) => [key, value])).toEqual([
      [utf8('k1'), utf8('v')],
      [utf8('k1'), null],
      [utf8('k2'), utf8('')],
      [null, null],
      [utf8(''), utf8('')],
    ]);
  });

  test('a plain record costs three bytes beside its key and value', () => {
    const builder = new BatchBuilder();
    for (let i = 0; i < 10; i++) builder.append('key', 'value', 1_700_000_000_000);
    expect(builder.size).toBe(HEADER_SIZE + 10 * (3 + 3 + 5));
    expect(builder.finish().length).toBe(HEADER_SIZE + 10 * (3 + 3 + 5));
  });

  test('a batch that compaction emptied keeps the offsets it owned', () => {
    const bytes = new BatchBuilder().finish(9);
    stampBatch(bytes, { topicId: 1, partition: 0, baseOffset: 100n });
    const view = checkBatchShape(bytes);
    expect(view.next()).toBe(false);
    expect(view).toMatchObject({ count: 0, nextOffset: 110n, maxTimestamp: -Infinity });
  });

  test('the view can be read again from the start', () => {
    const view = openBatch(small());
    expect(recordsOf(view)).toEqual(recordsOf(view));
    expect(view.next()).toBe(false);
    expect(view.next()).toBe(false);
  });

  test('a finished batch has memory of its own, and the builder starts empty', () => {
    const builder = new BatchBuilder(128);
    builder.append('a', 'first', 5);
    const first = builder.finish();
    const copy = first.slice();
    builder.append('b', 'second', 6);
    const second = builder.finish();
    expect(first).toEqual(copy);
    expect(first.buffer.byteLength).toBe(first.length);
    expect(recordsOf(openBatch(second))).toMatchObject([{ key: utf8('b'), value: utf8('second'), timestamp: 6, offsetDelta: 0 }]);
  });

  test('every flipped bit is reported', () => {
    const bytes = small();
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      bytes[bit >>> 3]! ^= 1 << (bit & 7);
      expect(() => openBatch(bytes), `bit ${bit}`).toThrow(damage);
      bytes[bit >>> 3]! ^= 1 << (bit & 7);
    }
    expect(() => openBatch(bytes)).not.toThrow();
  });

  test('the header alone reports every bit flipped in it', () => {
    const bytes = small();
    for (let bit = 0; bit < 8 * HEADER_SIZE; bit++) {
      bytes[bit >>> 3]! ^= 1 << (bit & 7);
      expect(() => inspectHeader(bytes), `bit ${bit}`).toThrow(damage);
      bytes[bit >>> 3]! ^= 1 << (bit & 7);
    }
  });

  test('a batch cut off anywhere, or followed by anything, is reported', () => {
    const bytes = small();
    for (let size = 0; size < bytes.length; size++) expect(() => openBatch(bytes.subarray(0, size)), `${size} bytes`).toThrow(damage);
    expect(() => openBatch(Uint8Array.of(...bytes, 0))).toThrow(damage);
  });

  test('the error of a damaged batch names its offset and the reason', () => {
    const bytes = small();
    bytes[bytes.length - 1]! ^= 1;
    expect(() => openBatch(bytes)).toThrow(
      expect.objectContaining({
        facts: { baseOffset: 2n ** 40n, reason: 'the checksum of its records does not agree' },
        message: expect.stringContaining('Restore the log from a backup') as string,
      }),
    );
  });
});

describe('limits', () => {
  const append = (key: string | Uint8Array, value: string | Uint8Array): number => {
    const builder = new BatchBuilder();
    builder.append(key, value, 0);
    return recordsOf(checkBatchShape(builder.finish())).reduce((sum, r) => sum + r.key!.length + r.value!.length, 0);
  };
  const code = (code: string, size: number, limit: number): Error => expect.objectContaining({ code, facts: { size, limit } }) as Error;

  test('a key of 1 MiB is accepted, one byte more is refused, as bytes and as text of any width', () => {
    expect(append(new Uint8Array(MAX_KEY_BYTES), '')).toBe(1_048_576);
    expect(append('k'.repeat(MAX_KEY_BYTES), '')).toBe(1_048_576);
    expect(append('é'.repeat(MAX_KEY_BYTES / 2), '')).toBe(1_048_576);
    for (const key of [new Uint8Array(1_048_577), 'k'.repeat(1_048_577), `${'é'.repeat(524_288)}k`]) {
      expect(() => append(key, '')).toThrow(code('STOPLOG_KEY_TOO_LONG', 1_048_577, 1_048_576));
    }
  });

  test('a record of 16 MiB is accepted, one byte more is refused', () => {
    expect(append('', new Uint8Array(MAX_RECORD_BYTES))).toBe(MAX_RECORD_BYTES);
    expect(append('key', 'v'.repeat(MAX_RECORD_BYTES - 3))).toBe(MAX_RECORD_BYTES);
    const refused = code('STOPLOG_RECORD_TOO_LARGE', MAX_RECORD_BYTES + 1, MAX_RECORD_BYTES);
    expect(() => append('', new Uint8Array(MAX_RECORD_BYTES + 1))).toThrow(refused);
    expect(() => append('key', 'v'.repeat(MAX_RECORD_BYTES - 2))).toThrow(refused);
    expect(() => append('', `${'é'.repeat(MAX_RECORD_BYTES / 2)}v`)).toThrow(refused);
  });

  test('header names and values count', () => {
    const headers = [{ name: 'ab', value: new Uint8Array(3) }];
    expect(() => new BatchBuilder().append(null, new Uint8Array(MAX_RECORD_BYTES - 5), 0, headers)).not.toThrow();
    expect(() => new BatchBuilder().append(null, new Uint8Array(MAX_RECORD_BYTES - 4), 0, headers)).toThrow(
      expect.objectContaining({ code: 'STOPLOG_RECORD_TOO_LARGE' }),
    );
  });

  test.each([NaN, Infinity, -Infinity, 0.5, 2 ** 53])('the timestamp %d is refused', (timestamp) => {
    expect(() => new BatchBuilder().append('k', 'v', timestamp)).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE' }));
  });

  test('text with a lone surrogate is refused as key and as value: no two keys become the same bytes', () => {
    const schema = expect.objectContaining({ code: 'STOPLOG_SCHEMA' }) as Error;
    expect(() => append('\ud800', 'v')).toThrow(schema);
    expect(() => append('k', `${'long '.repeat(2_000)}\udc00`)).toThrow(schema);
    expect(append('\0', '\0\0')).toBe(3);
  });

  test('a refused record leaves nothing behind', () => {
    const builder = new BatchBuilder(128);
    builder.append('a', '1', 1);
    const size = builder.size;
    for (const key of ['\ud800', 'x'.repeat(MAX_KEY_BYTES + 1), 'é'.repeat(MAX_KEY_BYTES / 2 + 1)]) expect(() => builder.append(key, 'v', 2)).toThrow();
    expect(() => builder.append('k', 'v'.repeat(200), NaN)).toThrow();
    expect([builder.count, builder.size]).toEqual([1, size]);
    builder.append('b', '2', 3);
    expect(recordsOf(checkBatchShape(builder.finish()))).toMatchObject([
      { key: utf8('a'), offsetDelta: 0 },
      { key: utf8('b'), timestamp: 3, offsetDelta: 1 },
    ]);
  });
});

interface Seen {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly timestamp: number;
  readonly offsetDelta: number;
  readonly headers: readonly Header[];
}
const recordsOf = (view: BatchView): readonly Seen[] => {
  const records: Seen[] = [];
  view.rewind();
  while (view.next()) records.push({ key: view.key(), value: view.value(), timestamp: view.timestamp, offsetDelta: view.offsetDelta, headers: view.headers() });
  return records;
};
