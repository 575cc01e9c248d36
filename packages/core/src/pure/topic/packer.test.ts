/** Equal records make equal batches, regardless of the records that were packed before them. */
import { expect, test } from 'vitest';
import { openBatch } from '../record/batch.ts';
import { RecordPacker } from './packer.ts';

const PARTITIONS = 1_000;
/** A key, and the partition it goes to. */
const placed = new RecordPacker('t', PARTITIONS);
const partitionOf = (key: string): number => {
  placed.add(key, 'v', 0);
  return placed.take()[0]!.partition;
};
const taken = (packer: RecordPacker): readonly number[] => packer.take().map(({ partition }) => partition);

test('batches come in the order of their partitions, also when earlier records were written in another order', () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  const partitions = keys.map(partitionOf).toSorted((a, b) => a - b);
  expect(new Set(partitions).size).toBe(keys.length);
  const packer = new RecordPacker('t', PARTITIONS);
  for (const order of [keys, keys.toReversed(), keys.slice(2), keys]) {
    for (const key of order) packer.add(key, 'v', 0);
    expect(taken(packer)).toEqual(order.map(partitionOf).toSorted((a, b) => a - b));
  }
  expect(taken(packer)).toEqual([]);
});

test('a discarded record is in no batch', () => {
  const packer = new RecordPacker('t', PARTITIONS);
  packer.add('a', 'gone', 0);
  packer.reset();
  expect(packer.bytes).toBe(0);
  packer.add('a', 'kept', 0);
  const { batch, records } = packer.take()[0]!;
  const view = openBatch(batch);
  expect([records, view.next() && Buffer.from(view.value()!).toString(), view.next()]).toEqual([1, 'kept', false]);
});
