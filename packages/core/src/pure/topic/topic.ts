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
import type { Millis } from '../time/duration.ts';
import { checkName } from './name.ts';
import type { TopicShape } from './shape.ts';

declare const reads: unique symbol;
declare const writes: unique symbol;
declare const parses: unique symbol;

/** May be read. */
export interface Origin<out K, out V> { readonly name: string; readonly [reads]?: readonly [K, V] }
/** May be written from inside a pipeline. */
export interface Target<in K, in V> { readonly name: string; readonly [writes]?: (key: K, value: V) => void }
/** May be written from outside: parsed at the edge. */
export interface Parses<in RK, in RV> { readonly name: string; readonly [parses]?: (key: RK, value: RV) => void }

export interface Topic<K, V, RK = K, RV = V> extends Origin<K, V>, Target<K, V>, Parses<RK, RV> { readonly kind: 'topic' }
/** Keeps the latest value of each key: what a table is made of. A null value deletes its key. */
export interface CompactedTopic<K, V, RK = K, RV = V> extends Origin<K, V>, Target<K, V>, Parses<RK, RV> { readonly kind: 'compacted' }

export interface TopicSpec<K, V> {
  readonly key: K;
  readonly value: V;
  /** How parallel it may be; a key's partition depends on it, so it is chosen once. 4 unless said otherwise. */
  readonly partitions?: number;
  /** JSON unless said otherwise. */
  readonly codec?: { readonly key?: CodecName; readonly value?: CodecName };
  /** 'parsed' runs the schema on reading too: for a topic that others write. 'trusted' unless said otherwise. */
  readonly reads?: 'trusted' | 'parsed';
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

export const topic = <K extends Schema, V extends Schema>(
  name: string,
  spec: TopicSpec<K, V> & { readonly retention?: Millis },
): Topic<Output<K>, Output<V>, Input<K>, Input<V>> => declare('topic', name, spec, spec.retention);

export const compactedTopic = <K extends Schema, V extends Schema>(
  name: string,
  spec: TopicSpec<K, V>,
): CompactedTopic<Output<K>, Output<V>, Input<K>, Input<V>> => declare('compacted', name, spec, undefined);

/** The runtime's side of a topic, from any of its faces. */
export const topicOf = (face: { readonly name: string }): AnyTopic => {
  if (typeof face === 'object' && face !== null && mark in face) return face as unknown as AnyTopic;
  throw new StoplogError('STOPLOG_USAGE', { found: typeof face },
    'this is not a topic: pass a value made by topic(…) or compactedTopic(…)');
};

/** Registered, so that two copies of this package know each other's topics. */
const mark = Symbol.for('stoplog.topic');
const DEFAULT_PARTITIONS = 4;
/** As many as anybody has been seen to want; each costs a few kilobytes of memory wherever it is read. */
const MAX_PARTITIONS = 65_535;

const declare = <Kind extends AnyTopic['kind']>(
  kind: Kind,
  name: string,
  spec: TopicSpec<Schema, Schema>,
  retention: Millis | undefined,
): AnyTopic & { readonly kind: Kind } => {
  checkName('topic', name);
  const partitions = spec.partitions ?? DEFAULT_PARTITIONS;
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > MAX_PARTITIONS)
    throw new StoplogError('STOPLOG_USAGE', { topic: name, partitions },
      `topic '${name}' cannot have ${String(partitions)} partitions: take a whole number from 1 to ${MAX_PARTITIONS}`);
  if (retention !== undefined && !(Number.isSafeInteger(retention) && retention > 0))
    throw new StoplogError('STOPLOG_USAGE', { topic: name, retention },
      `topic '${name}' cannot keep records for ${String(retention)} ms: take days(7), or leave retention out to keep them for ever`);
  const keyCodec = spec.codec?.key ?? 'json';
  const valueCodec = spec.codec?.value ?? 'json';
  const side = (which: 'key' | 'value', codec: CodecName): Serde<unknown> => {
    const made = serde(spec[which], codec, which, name);
    return spec.reads === 'parsed' ? parsing(made) : made;
  };
  const keySerde = side('key', keyCodec);
  const valueSerde = side('value', valueCodec);
  const shape: TopicShape = Object.freeze({
    name, partitions, cleanup: kind === 'topic' ? 'delete' : 'compact', retentionMs: retention,
    keyCodec, valueCodec, keySchema: jsonSchemaOf(spec.key), valueSchema: jsonSchemaOf(spec.value),
  });
  return Object.freeze({ [mark]: true, kind, name, partitions, keySerde, valueSerde, shape });
};
