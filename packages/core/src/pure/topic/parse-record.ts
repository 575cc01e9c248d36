/**
 * Parses a key and a value from outside into a record's, and decides the meaning of null on each kind of topic.
 *
 * On a compacted topic a null value is a tombstone, also when the schema has null, and every record needs a key, because
 * compaction keeps records by their keys. On other topics null is a value like any other, if the schema has it: the codec
 * encodes it, and it is no tombstone. A null key has no hash; records with it spread over the partitions.
 */
import { StoplogError } from '../errors.ts';
import type { Encoded } from '../schema/codec.ts';
import type { AnyTopic } from './topic.ts';

export interface RecordInput {
  readonly key: unknown;
  readonly value: unknown;
}

/** Parses both sides; throws a `STOPLOG_SCHEMA` that names the topic, the path and the first issue. */
export const parseRecord = (topic: AnyTopic, input: RecordInput): RecordInput => ({
  key: parseKey(topic, input.key),
  value: parseValue(topic, input.value),
});

export const parseKey = (topic: AnyTopic, key: unknown): unknown => {
  if (key === null && topic.kind === 'compacted') throw keyless(topic);
  return topic.keySerde.parse(key);
};

export const parseValue = (topic: AnyTopic, value: unknown): unknown => {
  if (value !== null) return topic.valueSerde.parse(value);
  if (topic.kind === 'compacted') return null;
  try {
    return topic.valueSerde.parse(null);
  } catch (cause) {
    throw misplaced(topic, cause);
  }
};

/** The key's bytes, or null for a record that may go to any partition. */
export const encodeKey = (topic: AnyTopic, key: unknown): Encoded | null => {
  if (key !== null) return topic.keySerde.encode(key);
  if (topic.kind === 'compacted') throw keyless(topic);
  return null;
};

/** The value's bytes, or null for a tombstone. */
export const encodeValue = (topic: AnyTopic, value: unknown): Encoded | null =>
  value === null && topic.kind === 'compacted' ? null : topic.valueSerde.encode(value);

const keyless = ({ name }: AnyTopic): StoplogError =>
  new StoplogError(
    'STOPLOG_SCHEMA',
    { topic: name, side: 'key', path: '', issues: [{ path: [], message: 'null' }] },
    `a record without a key cannot go to the compacted topic '${name}', which keeps records by their keys: give it a key`,
  );

const misplaced = ({ name }: AnyTopic, cause: unknown): StoplogError =>
  new StoplogError(
    'STOPLOG_SCHEMA',
    { topic: name, side: 'value', path: '', issues: [{ path: [], message: 'null' }] },
    `topic '${name}' takes no null value: a tombstone goes to a compacted topic, and a null that is data needs a schema with .nullable()`,
    { cause },
  );
