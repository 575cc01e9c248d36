import { describe, expect, test } from 'vitest';
import { shapeDifference, type TopicShape } from './shape.ts';

const shape = (other: Partial<TopicShape> = {}): TopicShape => ({
  name: 'orders',
  partitions: 4,
  cleanup: 'delete',
  retentionMs: undefined,
  keyCodec: 'json',
  valueCodec: 'json',
  keySchema: {},
  valueSchema: {},
  ...other,
});

describe('the difference of two shapes', () => {
  test('two shapes do not differ when partitions, cleanup and codecs agree, although schemas and retention differ', () => {
    expect(shapeDifference(shape(), shape({ keySchema: { type: 'string' }, valueSchema: 5, retentionMs: 7 }))).toBeUndefined();
  });

  test.each<[string, Partial<TopicShape>, Partial<TopicShape>, string]>([
    ['partitions', { partitions: 8 }, {}, "topic 'orders' has 4 partitions, this pipeline declares 8: set partitions: 4, or write to a new topic"],
    ['one partition', {}, { partitions: 1 }, "topic 'orders' has 1 partition, this pipeline declares 4: set partitions: 1, or write to a new topic"],
    [
      'cleanup',
      { cleanup: 'compact' },
      {},
      "topic 'orders' is not compacted, this pipeline declares compactedTopic: declare it with topic(…), or write to a new topic",
    ],
    [
      'a codec',
      { valueCodec: 'msgpack' },
      {},
      "topic 'orders' keeps each value as json, this pipeline declares a value as msgpack: set codec: { value: 'json' }, or write to a new topic",
    ],
    [
      'several',
      { partitions: 8, keyCodec: 'string' },
      { cleanup: 'compact' },
      "topic 'orders' has 4 partitions, is compacted and keeps each key as json, this pipeline declares 8, topic and a key as string: set partitions: 4, declare it with compactedTopic(…) and set codec: { key: 'json' }, or write to a new topic",
    ],
  ])('the difference is a sentence with both remedies: %s', (_, declared, found, sentence) => {
    expect(shapeDifference(shape(declared), shape(found))).toBe(sentence);
  });
});
