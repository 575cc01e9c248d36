/**
 * A topic as a value: a name, two schemas, a shape. Its declaration has no effect; `Log.ensure` creates the topic.
 *
 * Its type has three faces instead of one: `Origin` (may be read), `Target` (may be written inside a pipeline), `Parses`
 * (may be written from outside, in the schema's input type). Faces are phantom: symbols that no object carries, there
 * for the compiler's variance alone. The object also carries the values that the runtime needs, and `topicOf` returns them.
 */
import { StoplogError } from '../errors.ts';
import type { CodecName, Input, Output, Schema, Serde } from '../schema/codec.ts';
import { jsonSchemaOf } from '../schema/fingerprint.ts';
import { parsing, serde } from '../schema/serde.ts';
import { checkWrites, type Writes } from './writes.ts';
import { checkSettings, namesOf, type Known } from '../settings.ts';
import { cleaningOf } from './cleaning.ts';
import { checkName } from './name.ts';
import { checkSetting, type SettingsIn } from './setting.ts';
import type { TopicShape } from './shape.ts';
import { OF_COMPACTED_TOPICS, OF_EVERY_TOPIC } from './topic-settings.ts';

declare const reads: unique symbol;
declare const writes: unique symbol;
declare const parses: unique symbol;

/** A topic of any records. An object that only has a name is no topic. */
export type DeclaredTopic = Pick<AnyTopic, 'kind' | 'name'>;
/** May be read. */
export interface Origin<out K, out V> {
  readonly name: string;
  readonly [reads]?: readonly [K, V];
}
/** May be written from inside a pipeline. */
export interface Target<in K, in V> {
  readonly name: string;
  readonly [writes]?: (key: K, value: V) => void;
}
/** May be written from outside: parsed at the edge. */
export interface Parses<in RK, in RV> {
  readonly kind: 'topic' | 'compacted';
  readonly name: string;
  readonly [parses]?: (key: RK, value: RV) => void;
}

export interface Topic<K, V, RK = K, RV = V> extends Origin<K, V>, Target<K, V>, Parses<RK, RV> {
  readonly kind: 'topic';
}
/** A topic that keeps the latest value of each key, as a table needs it. A null value deletes its key. */
export interface CompactedTopic<K, V, RK = K, RV = V> extends Origin<K, V>, Target<K, V>, Parses<RK, RV> {
  readonly kind: 'compacted';
}

export interface TopicSpec<K, V> extends SettingsIn<typeof OF_EVERY_TOPIC> {
  readonly key: K;
  readonly value: V;
  /** JSON when left out. */
  readonly codec?: { readonly key?: CodecName; readonly value?: CodecName };
}

export interface CompactedTopicSpec<K, V> extends TopicSpec<K, V>, SettingsIn<typeof OF_COMPACTED_TOPICS> {}

/** A topic as the runtime sees it. */
export interface AnyTopic {
  readonly kind: 'topic' | 'compacted';
  readonly name: string;
  readonly partitions: number;
  readonly keySerde: Serde<unknown>;
  readonly valueSerde: Serde<unknown>;
  readonly shape: TopicShape;
  /** Undefined when not declared: the pipeline's setting applies. */
  readonly writes?: Writes | undefined;
}

/**
 * Declares a topic; the log creates it when it is first used. Keys and values take schemas of zod, or of another library with Standard Schema.
 *
 * @example
 * const orders = topic('orders', { key: z.string(), value: z.object({ cents: z.int() }), retention: days(30) });
 */
export const topic = <K extends Schema, V extends Schema>(name: string, spec: TopicSpec<K, V>): Topic<Output<K>, Output<V>, Input<K>, Input<V>> =>
  declare('topic', name, spec);

/**
 * Declares a topic that keeps the latest value of each key: the input of `table`. A null value deletes its key.
 *
 * @example
 * const customers = compactedTopic('customers', { key: z.string(), value: z.object({ name: z.string() }) });
 */
export const compactedTopic = <K extends Schema, V extends Schema>(
  name: string,
  spec: CompactedTopicSpec<K, V>,
): CompactedTopic<Output<K>, Output<V>, Input<K>, Input<V>> => declare('compacted', name, spec);

/** The runtime's side of a topic, from any of its faces. */
export const topicOf = (face: { readonly name: string }): AnyTopic => {
  if (typeof face === 'object' && face !== null && mark in face) return face as unknown as AnyTopic;
  throw new StoplogError('STOPLOG_USAGE', { found: typeof face }, 'this is not a topic: pass a value made by topic(…) or compactedTopic(…)');
};

/** Registered, so that two copies of this package know each other's topics. */
const mark = Symbol.for('stoplog.topic');

const SCHEMAS = { key: true, value: true, codec: true } as const;
const OF_BOTH: Known<TopicSpec<Schema, Schema>> = { ...SCHEMAS, ...namesOf(OF_EVERY_TOPIC) };
const OF_COMPACTED: Known<CompactedTopicSpec<Schema, Schema>> = { ...OF_BOTH, ...namesOf(OF_COMPACTED_TOPICS) };
const OF_CODEC: Known<NonNullable<TopicSpec<Schema, Schema>['codec']>> = { key: true, value: true };

const declare = <Kind extends AnyTopic['kind']>(kind: Kind, name: string, spec: CompactedTopicSpec<Schema, Schema>): AnyTopic & { readonly kind: Kind } => {
  checkName('topic', name);
  if (kind === 'topic') checkSettings<TopicSpec<Schema, Schema>>(`topic '${name}'`, spec, OF_BOTH);
  else checkSettings(`compacted topic '${name}'`, spec, OF_COMPACTED);
  if (spec.codec !== undefined) checkSettings(`the codec of topic '${name}'`, spec.codec, OF_CODEC);
  const { partitions = OF_EVERY_TOPIC.partitions.default, retention, timestamps, reads, writes } = spec;
  for (const [setting, value] of Object.entries({ partitions, retention, timestamps, reads, writes }))
    if (value !== undefined) checkSetting(name, setting, OF_EVERY_TOPIC[setting as keyof typeof OF_EVERY_TOPIC], value);
  const forgetting = cleaningOf(name, { ...spec });
  const keyCodec = spec.codec?.key ?? 'json';
  const valueCodec = spec.codec?.value ?? 'json';
  const side = (which: 'key' | 'value', codec: CodecName): Serde<unknown> => {
    const made = serde(spec[which], codec, which, name);
    return reads === 'parsed' ? parsing(made) : made;
  };
  const keySerde = side('key', keyCodec);
  const valueSerde = side('value', valueCodec);
  checkWrites({ kind: 'topic', name }, writes, [spec.key, spec.value]);
  const shape: TopicShape = Object.freeze({
    name,
    partitions,
    cleanup: kind === 'topic' ? 'delete' : 'compact',
    retentionMs: retention,
    ...(forgetting === undefined ? {} : { forgetting }),
    ...(timestamps === 'arrival' ? { timestamps } : {}),
    keyCodec,
    valueCodec,
    keySchema: jsonSchemaOf(spec.key),
    valueSchema: jsonSchemaOf(spec.value),
    ...(reads === 'parsed' ? { parses: { key: jsonSchemaOf(spec.key, 'input'), value: jsonSchemaOf(spec.value, 'input') } } : {}),
  });
  return Object.freeze({ [mark]: true, kind, name, partitions, keySerde, valueSerde, shape, writes });
};
