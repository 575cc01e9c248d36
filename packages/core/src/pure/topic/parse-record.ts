/**
 * The edge: where a key and a value from outside become a record's, and what null means on each kind of topic.
 *
 * On a compacted topic a null value is a tombstone, whatever the schema says, and every record needs a key, for its
 * key is what it is kept by. On other topics null is a value like any other, if the schema has it: it is then written by
 * the codec, not as a tombstone. A null key hashes nowhere; such records spread over the partitions.
 */
import { StoplogError } from '../errors.ts';
import type { Encoded } from '../schema/codec.ts';
import type { AnyTopic } from './topic.ts';

export interface RecordInput {
  readonly key: unknown;
  readonly value: unknown;
}

/** Parses both sides; throws `STOPLOG_SCHEMA` that names topic, path and first issue. */
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

/** The key's bytes, or null for a record that may lie in any partition. */
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
