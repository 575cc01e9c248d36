/**
 * A topic as a value: a name, two schemas, a shape. Declaring it does nothing; `Log.ensure` makes it.
 *
 * Its type has three faces instead of one: `Origin` (may be read), `Target` (may be written inside a pipeline), `Parses`
 * (may be written from outside, in the schema's input type). Faces are phantom: symbols that no object carries, there
 * for the compiler's variance alone. What the runtime needs is on the object too, and `topicOf` gets it back.
 */
import { StoplogError } from '../errors.ts';
import type { CodecName, Input, Output, Schema, Serde } from '../schema/codec.ts';
import { jsonSchemaOf } from '../schema/fingerprint.ts';
import { parsing, serde } from '../schema/serde.ts';
import { checkSettings, type Known } from '../settings.ts';
import type { Millis } from '../time/duration.ts';
import { forgettingOf } from './forgetting.ts';
import { checkName } from './name.ts';
import type { TopicShape } from './shape.ts';

declare const reads: unique symbol;
declare const writes: unique symbol;
declare const parses: unique symbol;

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
  readonly name: string;
  readonly [parses]?: (key: RK, value: RV) => void;
}

export interface Topic<K, V, RK = K, RV = V> extends Origin<K, V>, Target<K, V>, Parses<RK, RV> {
  readonly kind: 'topic';
}
/** Keeps the latest value of each key: what a table is made of. A null value deletes its key. */
export interface CompactedTopic<K, V, RK = K, RV = V> extends Origin<K, V>, Target<K, V>, Parses<RK, RV> {
  readonly kind: 'compacted';
}

export interface TopicSpec<K, V> {
  readonly key: K;
  readonly value: V;
  /** How parallel it may be; a key's partition depends on it, so it is chosen once. 4 unless said otherwise. */
  readonly partitions?: number;
  /** JSON unless said otherwise. */
  readonly codec?: { readonly key?: CodecName; readonly value?: CodecName };
  /** Records are kept at least so long; for ever when left out. Kafka: retention.ms, 7 days. */
  readonly retention?: Millis;
  /** Each partition keeps at least so many bytes, and forgets what is older; no limit when left out. Kafka: retention.bytes. */
  readonly retentionBytes?: number;
  /** Forgetting goes by segments, each at most this long (7 days, or an eighth of `retention`; Kafka: segment.ms, 7 days) … */
  readonly segment?: Millis;
  /** … and this large (64 MiB; Kafka: segment.bytes, 1 GiB). */
  readonly segmentBytes?: number;
  /**
   * Whose time a record has: what its producer says, or now ('given', the default), or when the log took it in ('arrival'),
   * whatever the producer says. Kafka: message.timestamp.type, CreateTime or LogAppendTime.
   */
  readonly timestamps?: 'given' | 'arrival';
  /** By which clock a segment ages: when its records arrived (the default), or what their timestamps say. In Kafka one with the setting above. */
  readonly ageBy?: 'arrival' | 'timestamp';
  /** 'parsed' runs the schema on reading too: for a topic that others write. 'trusted' unless said otherwise. */
  readonly reads?: 'trusted' | 'parsed';
}

export interface CompactedTopicSpec<K, V> extends TopicSpec<K, V> {
  /** A reader that gets to the head within this time sees every deletion. 24 hours; Kafka: delete.retention.ms. */
  readonly deleteRetention?: Millis;
  /** Nothing younger is compacted. 0; Kafka: min.compaction.lag.ms. */
  readonly minCompactionLag?: Millis;
  /** Nothing older waits to be compacted. No limit; Kafka: max.compaction.lag.ms. */
  readonly maxCompactionLag?: Millis;
  /** The share of bytes since the last pass that makes a pass due. 0.5; Kafka: min.cleanable.dirty.ratio. */
  readonly minDirtyRatio?: number;
}

/** A topic as the runtime sees it. */
export interface AnyTopic {
  readonly kind: 'topic' | 'compacted';
  readonly name: string;
  readonly partitions: number;
  readonly keySerde: Serde<unknown>;
  readonly valueSerde: Serde<unknown>;
  readonly shape: TopicShape;
}

export const topic = <K extends Schema, V extends Schema>(name: string, spec: TopicSpec<K, V>): Topic<Output<K>, Output<V>, Input<K>, Input<V>> =>
  declare('topic', name, spec);

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
const DEFAULT_PARTITIONS = 4;
/** As many as anybody has been seen to want; each costs a few kilobytes of memory wherever it is read. */
const MAX_PARTITIONS = 65_535;

const OF_BOTH: Known<TopicSpec<Schema, Schema>> = {
  key: true,
  value: true,
  partitions: true,
  codec: true,
  retention: true,
  retentionBytes: true,
  segment: true,
  segmentBytes: true,
  timestamps: true,
  ageBy: true,
  reads: true,
};
const OF_COMPACTED: Known<CompactedTopicSpec<Schema, Schema>> = {
  ...OF_BOTH,
  deleteRetention: true,
  minCompactionLag: true,
  maxCompactionLag: true,
  minDirtyRatio: true,
};
const OF_CODEC: Known<NonNullable<TopicSpec<Schema, Schema>['codec']>> = { key: true, value: true };

const declare = <Kind extends AnyTopic['kind']>(kind: Kind, name: string, spec: CompactedTopicSpec<Schema, Schema>): AnyTopic & { readonly kind: Kind } => {
  checkName('topic', name);
  if (kind === 'topic') checkSettings<TopicSpec<Schema, Schema>>(`topic '${name}'`, spec, OF_BOTH);
  else checkSettings(`compacted topic '${name}'`, spec, OF_COMPACTED);
  if (spec.codec !== undefined) checkSettings(`the codec of topic '${name}'`, spec.codec, OF_CODEC);
  const partitions = spec.partitions ?? DEFAULT_PARTITIONS;
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > MAX_PARTITIONS)
    throw new StoplogError(
      'STOPLOG_USAGE',
      { topic: name, partitions },
      `topic '${name}' cannot have ${String(partitions)} partitions: take a whole number from 1 to ${MAX_PARTITIONS}`,
    );
  const { retention } = spec;
  if (retention !== undefined && !(Number.isSafeInteger(retention) && retention > 0))
    throw new StoplogError(
      'STOPLOG_USAGE',
      { topic: name, retention },
      `topic '${name}' cannot keep records for ${String(retention)} ms: take days(7), or leave retention out to keep them for ever`,
    );
  const forgetting = forgettingOf(name, spec);
  const { timestamps = 'given' } = spec;
  if (timestamps !== 'given' && timestamps !== 'arrival')
    throw new StoplogError(
      'STOPLOG_USAGE',
      { topic: name, timestamps },
      `topic '${name}' cannot have timestamps: ${String(timestamps)}: take 'given' or 'arrival', or leave it out`,
    );
  const keyCodec = spec.codec?.key ?? 'json';
  const valueCodec = spec.codec?.value ?? 'json';
  const side = (which: 'key' | 'value', codec: CodecName): Serde<unknown> => {
    const made = serde(spec[which], codec, which, name);
    return spec.reads === 'parsed' ? parsing(made) : made;
  };
  const keySerde = side('key', keyCodec);
  const valueSerde = side('value', valueCodec);
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
  });
  return Object.freeze({ [mark]: true, kind, name, partitions, keySerde, valueSerde, shape });
};
