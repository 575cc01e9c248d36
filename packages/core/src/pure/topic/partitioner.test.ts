import { describe, expect, test } from 'vitest';
import { partitionOf } from './partitioner.ts';

const partitions = (key: string, counts: readonly number[]): number[] => counts.map((count) => partitionOf(Buffer.from(key), count));

describe("a key goes to the partition that Kafka's Java client chooses", () => {
  // Kafka's own keys (UtilsTest.testMurmur2), partitions for 3, 10, 12 and 50: counts that are no powers of two reveal a wrong formula.
  test.each([
    ['21', [0, 0, 0, 40]],
    ['foobar', [0, 6, 6, 16]],
    ['a-little-bit-long-string', [2, 2, 8, 12]],
    ['a-little-bit-longer-string', [2, 9, 11, 19]],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', [2, 7, 5, 27]],
    ['abc', [0, 7, 3, 7]],
    ['', [0, 1, 9, 31]],
    ['日本', [0, 7, 3, 27]],
  ])('%j', (key, expected) => {
    expect(partitions(key, [3, 10, 12, 50])).toEqual(expected);
  });

  // Keys that go to other partitions in clients that make the hash positive in another way (platformatic/kafka#121, kafkajs#357).
  test.each([
    ['100:48069', 12, 9],
    ['TT0124', 15, 10],
    ['fd7af248-ce5c-46a5-93d7-1c0c9005b99d', 32, 26],
  ])('%j of %i', (key, count, expected) => {
    expect(partitions(key, [count])).toEqual([expected]);
  });

  test('bytes count, not the look of a text: é in one character or in two', () => {
    expect(partitions('é', [50])).not.toEqual(partitions('e\u0301', [50]));
  });
});
