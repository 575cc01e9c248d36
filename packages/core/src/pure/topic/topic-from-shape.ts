/**
 * Makes a topic from its stored shape, for tools that have no declaration at hand.
 */
import { StoplogError } from '../errors.ts';
import type { Schema } from '../schema/codec.ts';
import { anySchema, schemaFromJson } from '../schema/from-json-schema.ts';
import type { TopicShape } from './shape.ts';
import { compactedTopic, topic, topicOf, type AnyTopic } from './topic.ts';

/** With 'read', every stored value is accepted; 'append' parses by the topic's stored JSON schemas, and throws `STOPLOG_SCHEMA` when they do not determine the values. */
export const topicFromShape = (shape: TopicShape, purpose: 'read' | 'append'): AnyTopic => {
  const side = (which: 'key' | 'value'): Schema => (purpose === 'read' || shape[`${which}Codec`] === 'bytes' ? anySchema : schemaOf(shape, which));
  const spec = { key: side('key'), value: side('value'), partitions: shape.partitions, codec: { key: shape.keyCodec, value: shape.valueCodec } };
  const made = topicOf(shape.cleanup === 'compact' ? compactedTopic(shape.name, spec) : topic(shape.name, spec));
  // The stored shape stays unchanged: the schemas here are not those of a declaration.
  return Object.freeze({ ...made, shape });
};

const schemaOf = (shape: TopicShape, which: 'key' | 'value'): Schema => {
  const found = schemaFromJson(shape[`${which}Schema`]);
  if ('schema' in found) return found.schema;
  throw new StoplogError(
    'STOPLOG_SCHEMA',
    { topic: shape.name, side: which, reason: found.unsaid },
    `the ${which} schema kept with topic '${shape.name}' does not say enough to parse by (${found.unsaid}): use the topic as it is declared in its module`,
  );
};
