import { describe, expect, test } from 'vitest';
import { readUtf8, utf8 } from '../bytes/text.ts';
import type { Serde } from '../schema/serde.ts';
import { BatchBuilder, openBatch, stampBatch } from './batch.ts';
import { LazyRecord } from './record.ts';

/** A serde that counts what it decodes. */
const counting = (): Serde<unknown> & { decoded: number } => {
  const serde = {
    decoded: 0,
    decode: (bytes: Uint8Array, start?: number, end?: number): unknown => {
      serde.decoded++;
      return { text: readUtf8(bytes, start, end) };
    },
  };
  return serde as unknown as Serde<unknown> & { decoded: number };
};
const records = (): readonly (LazyRecord & { readonly valueSerde: { decoded?: number } })[] => {
  const builder = new BatchBuilder();
  builder.append('a', 'one', 5, [{ name: 'h', value: null }]);
  builder.append(null, null, 7);
  const bytes = builder.finish();
  stampBatch(bytes, { topicId: 1, partition: 3, baseOffset: 40n });
  const view = openBatch(bytes);
  const found: LazyRecord[] = [];
  while (view.next()) found.push(new LazyRecord(view, counting(), counting(), 'orders'));
  return found;
};

describe('a record', () => {
  test('a record has its topic, partition and offset, and keeps its data when the view moves on', () => {
    const [first, second] = records();
    expect(first).toMatchObject({
      key: { text: 'a' },
      value: { text: 'one' },
      timestamp: 5,
      offset: 40n,
      topic: 'orders',
      partition: 3,
      headers: [{ name: 'h', value: null }],
    });
    expect(second).toMatchObject({ timestamp: 7, offset: 41n, headers: [] });
    expect([first!.keyBytes, first!.valueBytes]).toEqual([utf8('a'), utf8('one')]);
  });

  test('a record decodes its value when it is first read, and once', () => {
    const record = records()[0]!;
    expect(record.valueBytes).toEqual(utf8('one'));
    expect(record.valueSerde.decoded).toBe(0);
    expect(record.value).toBe(record.value);
    expect(record.valueSerde.decoded).toBe(1);
  });

  test('a null key or value is null, whatever the serde', () => {
    const tombstone = records()[1]!;
    expect([tombstone.key, tombstone.value, tombstone.keyBytes, tombstone.valueBytes]).toEqual([null, null, null, null]);
    expect(tombstone.valueSerde.decoded).toBe(0);
  });
});
