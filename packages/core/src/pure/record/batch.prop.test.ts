import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc32 } from '../bytes/checksum.ts';
import { utf8 } from '../bytes/text.ts';
import { isStoplogError } from '../errors.ts';
import { BatchBuilder, checkBatchShape, HEADER_SIZE, openBatch, stampBatch, type BatchView } from './batch.ts';
import type { Header } from './header.ts';

interface Written {
  readonly gap: number;
  readonly key: Uint8Array | string | null;
  readonly value: Uint8Array | string | null;
  readonly timestamp: number;
  readonly headers: readonly Header[];
}
interface Read {
  readonly offsetDelta: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly timestamp: number;
  readonly headers: readonly Header[];
}

const bytes = (maxLength: number): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.uint8Array({ maxLength: Math.min(maxLength, 20) }) },
    { weight: 1, arbitrary: fc.nat(maxLength).map((size) => new Uint8Array(size).fill(size)) }, // lengths of two and three bytes
  );
const data = (maxLength: number): fc.Arbitrary<Uint8Array | string | null> =>
  fc.oneof(
    fc.constant(null),
    bytes(maxLength),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.integer({ min: 30, max: 140 }).chain((size) => fc.constantFrom('é'.repeat(size), 'a'.repeat(size))), // lengths whose UTF-8 takes one byte more
  );
const written: fc.Arbitrary<Written> = fc.record({
  gap: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(100_000) }),
  key: data(3_000),
  value: data(20_000),
  timestamp: fc.oneof(
    fc.constant(1_700_000_000_000),
    fc.integer({ min: 1_700_000_000_000, max: 1_700_000_020_000 }),
    fc.maxSafeInteger(),
    fc.constantFrom(0, -1, 2 ** 53 - 1, 1 - 2 ** 53),
  ),
  headers: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.record({ name: fc.string({ unit: 'binary', maxLength: 5 }), value: fc.option(bytes(200)) }), { maxLength: 4 }) },
  ),
});

const plain = (data: Uint8Array | string | null): Uint8Array | null => (typeof data === 'string' ? utf8(data) : data);

const build = (records: readonly Written[], after = 0): Uint8Array => {
  const builder = new BatchBuilder(128);
  let delta = -1;
  for (const { gap, key, value, timestamp, headers } of records) {
    delta += 1 + gap;
    if (gap === 0) builder.append(key, value, timestamp, headers);
    else builder.appendAt(delta, key, value, timestamp, headers);
  }
  expect(builder.count).toBe(records.length);
  const { size } = builder;
  const batch = builder.finish(delta + after);
  expect(batch.length).toBe(size);
  return batch;
};
const expected = (records: readonly Written[]): readonly Read[] => {
  let delta = -1;
  return records.map(({ gap, key, value, timestamp, headers }) => ({
    offsetDelta: (delta += 1 + gap),
    key: plain(key),
    value: plain(value),
    timestamp,
    headers,
  }));
};
const read = (view: BatchView): readonly Read[] => {
  const records: Read[] = [];
  while (view.next()) {
    const { offsetDelta, timestamp } = view;
    records.push({ offsetDelta, key: view.key(), value: view.value(), timestamp, headers: view.headers() });
  }
  return records;
};
/** Bytes as text, which is compared faster than element by element. */
const shown = (records: readonly Read[]): unknown => {
  const text = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString('latin1');
  return records.map((record) => ({
    ...record,
    key: text(record.key),
    value: text(record.value),
    headers: record.headers.map(({ name, value }) => [name, text(value)]),
  }));
};
/** Makes both checksums match again, as a faulty writer would. */
const fixUp = (batch: Uint8Array): void => {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.length);
  view.setUint32(52, crc32(batch.subarray(HEADER_SIZE)), true);
  view.setUint32(0, crc32(batch.subarray(4, HEADER_SIZE)), true);
};
/** Reads a batch to its end: the records are inside the batch, and the only possible error is damage. */
const survives = (batch: Uint8Array, open: (batch: Uint8Array) => BatchView): void => {
  try {
    const records = read(open(batch));
    const size = records
      .flatMap(({ key, value, headers }) => [key, value, ...headers.map((header) => header.value)])
      .reduce((sum, part) => sum + (part?.length ?? 0), 0);
    // Each key and value took bytes of its own, so reading never yields more bytes than the batch has.
    expect(records.length + size).toBeLessThanOrEqual(batch.length - HEADER_SIZE);
  } catch (error) {
    expect(isStoplogError(error) ? error.code : error).toBe('STOPLOG_LOG_CORRUPT');
  }
};

describe('batch', () => {
  test('a batch decodes to the keys, values, times, headers and offsets that were written', () => {
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 12 }), fc.nat(5), fc.bigInt({ min: 0n, max: 2n ** 53n }), (records, after, baseOffset) => {
        const batch = build(records, after);
        stampBatch(batch, { topicId: 7, partition: 2, baseOffset });
        const view = checkBatchShape(batch);
        expect(shown(read(view))).toEqual(shown(expected(records)));
        expect(view.nextOffset).toBe(baseOffset + BigInt(view.offsetDelta + 1 + after));
        expect(view.maxTimestamp).toBe(Math.max(...records.map((record) => record.timestamp)));
        expect(view.baseTimestamp).toBe(records[0]!.timestamp);
      }),
      { numRuns: 300 },
    );
  });

  test('a batch reads the same inside a larger buffer', () => {
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 4 }), fc.nat(9), (records, at) => {
        const batch = build(records);
        const around = new Uint8Array(at + batch.length + 9).fill(0xff);
        around.set(batch, at);
        expect(shown(read(openBatch(around.subarray(at, at + batch.length))))).toEqual(shown(expected(records)));
      }),
    );
  });

  test('every flipped bit of a small batch is reported', () => {
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 3 }), fc.nat(), (records, at) => {
        const batch = build(records);
        const bit = at % (8 * batch.length);
        batch[bit >>> 3]! ^= 1 << (bit & 7);
        expect(() => openBatch(batch)).toThrow(expect.objectContaining({ code: 'STOPLOG_LOG_CORRUPT' }));
      }),
      { numRuns: 500 },
    );
  });

  test('any bytes are read as a batch or reported as damage', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (batch) => survives(batch, openBatch)));
  });

  test('a batch of a faulty writer with matching checksums is read inside its bounds or reported', () => {
    const small = fc.array(
      written.map((record) => ({ ...record, value: plain(record.value)?.subarray(0, 10) ?? null })),
      { minLength: 1, maxLength: 4 },
    );
    const edits = fc.array(fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255))), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(small, edits, fc.boolean(), (records, changes, alsoHeader) => {
        const batch = build(records);
        const from = alsoHeader ? 4 : HEADER_SIZE;
        for (const [at, byte] of changes) batch[from + (at % (batch.length - from))] = byte;
        fixUp(batch);
        survives(batch, openBatch);
        survives(batch, checkBatchShape);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a body of noise under a matching header is read inside its bounds or reported', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (noise, count) => {
        const builder = new BatchBuilder();
        builder.append(null, noise, 0);
        const batch = new Uint8Array(HEADER_SIZE + noise.length);
        batch.set(builder.finish().subarray(0, HEADER_SIZE));
        batch.set(noise, HEADER_SIZE);
        const view = new DataView(batch.buffer);
        view.setUint32(24, count, true);
        view.setUint32(28, 1_000, true);
        view.setUint32(48, noise.length, true);
        fixUp(batch);
        survives(batch, openBatch);
        survives(batch, checkBatchShape);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a batch that claims more than it holds takes at most four times its bytes and a mebibyte', () => {
    // A body of lengths, each of which says that two gigabytes follow.
    const body = Uint8Array.from({ length: 1_000_000 }, (_, i) => (i % 5 === 4 ? 0x07 : 0xff));
    for (const first of [[], [0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x07]]) {
      const builder = new BatchBuilder();
      builder.append(null, body, 0);
      const batch = new Uint8Array(HEADER_SIZE + body.length);
      batch.set(builder.finish().subarray(0, HEADER_SIZE));
      batch.set(body, HEADER_SIZE);
      batch.set(first, HEADER_SIZE);
      const view = new DataView(batch.buffer);
      for (const [at, n] of [
        [24, 0xffff_ffff],
        [28, 0xffff_ffff],
        [48, body.length],
      ] as const)
        view.setUint32(at, n, true);
      fixUp(batch);
      const before = process.memoryUsage();
      for (const open of [openBatch, checkBatchShape]) {
        try {
          const opened = open(batch);
          while (opened.next()) opened.value();
        } catch (error) {
          if (!isStoplogError(error)) throw error;
        }
      }
      const after = process.memoryUsage();
      expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(4 * batch.length + 2 ** 20);
    }
  });
});
