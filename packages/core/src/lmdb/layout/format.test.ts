/** docs/internals/format.md shows bytes; this test writes them, so that the page matches the code. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { encodeSortKey } from '../../pure/bytes/sort-key.ts';
import { utf8 } from '../../pure/bytes/text.ts';
import { BatchBuilder, stampBatch } from '../../pure/record/batch.ts';
import { encodeCommit } from './commit-bytes.ts';
import { heartbeatKey, encodeBeat, encodeHeld, heldKey } from './group-record.ts';
import { batchKey, encodeEnds, encodeSegment, partitionKey, producedKey, seal, storePrefix, timeKey } from './keyspace.ts';
import { encodeProducer } from '../../pure/producer/producer.ts';

const page = (name: string): ReadonlyMap<string, string> => {
  const text = readFileSync(new URL(`../../../../../docs/internals/${name}.md`, import.meta.url), 'utf8');
  return new Map([...text.matchAll(/^```hex ([\w-]+)\n([^`]*)```/gm)].map(([, block, hex]) => [block!, hex!.replace(/;.*$/gm, '').replace(/\s/g, '')]));
};
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const batch = (): Uint8Array => {
  const builder = new BatchBuilder();
  builder.append('"k"', '7', 1_000);
  builder.append('"k"', null, 1_005, [
    { name: 'h', value: null },
    { name: 'h', value: utf8('x') },
  ]);
  builder.appendAt(3, null, '', 990);
  const bytes = builder.finish();
  stampBatch(bytes, { topicId: 3, partition: 1, baseOffset: 42n });
  return bytes;
};
/** The batch after compaction: the tombstone, with its delete horizon. */
const cleaned = (): Uint8Array => {
  const builder = new BatchBuilder();
  builder.appendAt(1, '"k"', null, 1_005, [
    { name: 'h', value: null },
    { name: 'h', value: utf8('x') },
  ]);
  const bytes = builder.finish(3, 90_000);
  stampBatch(bytes, { topicId: 3, partition: 1, baseOffset: 42n });
  return bytes;
};
const place = partitionKey(3, 1);
const closed = { base: 7n, next: 42n, bytes: 4_096, firstTimestamp: 1_000, maxTimestamp: 1_005, firstArrival: 2_000, lastArrival: 2_001 };
const ends = {
  start: 0n,
  end: 46n,
  maxTimestamp: 1_005,
  bytes: batch().length,
  cleanTo: 40n,
  active: { ...closed, base: 42n, next: 46n, bytes: batch().length },
};
const storeKey = Buffer.concat([storePrefix(5, 1), encodeSortKey('k')]);

const documented: Readonly<Record<string, Readonly<Record<string, () => Uint8Array>>>> = {
  format: {
    batch: batch,
    'log-key': () => batchKey(3, 1, 42n),
    'times-key': () => timeKey(3, 1, 1_005),
    'ends-value': () => seal(place, encodeEnds(ends)),
    'segment-value': () => seal(batchKey(3, 1, 7n), encodeSegment(closed)),
    'cleaned-batch': cleaned,
    'held-key': () => heldKey(4, 3, 1),
    'held-value': () => seal(heldKey(4, 3, 1), encodeHeld({ epoch: 5, member: 2, revoking: false })),
    'beat-value': () => seal(heartbeatKey(4, 2), encodeBeat({ count: 3, at: 1_000 })),
    'producer-key': () => producedKey(6, 3, 1),
    'producer-value': () => seal(producedKey(6, 3, 1), encodeProducer({ epoch: 2, next: 7, last: [{ sequence: 3, count: 4, base: 42n }] })),
    'store-key': () => storeKey,
    'store-value': () => seal(storeKey, utf8('7')),
    'sort-key-number': () => encodeSortKey(1),
    'sort-key-bigint': () => encodeSortKey(-1n),
    'sort-key-object': () => encodeSortKey({ b: 1, a: [true] }),
  },
  commit: {
    commit: () =>
      new Uint8Array(
        encodeCommit({
          groupId: 4,
          epoch: 1,
          positions: [{ topicId: 3, partition: 1, from: 42n, to: 46n }],
          appends: [],
          stores: [{ prefix: storePrefix(5, 1), keys: [encodeSortKey('k'), encodeSortKey('x')], values: [utf8('7'), null] }],
        }),
      ),
    append: () =>
      new Uint8Array(
        encodeCommit({
          groupId: 0,
          epoch: 0,
          positions: [],
          appends: [{ topicId: 3, partition: 1, batch: utf8('…'), producer: { id: 6, epoch: 2, sequence: 3 }, expectedEnd: 42n }],
          stores: [],
        }),
      ),
  },
};

describe.each(Object.keys(documented))('docs/internals/%s.md', (name) => {
  const blocks = page(name);
  test.each(Object.entries(documented[name]!))('the page shows the bytes of %s as they are written', (block, made) => {
    expect(blocks.get(block)).toBe(hex(made()));
  });
  test('every example of the page is written by this test', () => {
    expect([...blocks.keys()].toSorted()).toEqual(Object.keys(documented[name]!).toSorted());
  });
});
