/**
 * A Serde turns values into bytes and back. It has a schema, which determines the values, and a codec, which determines their
 * bytes in the log.
 *
 * `parse` is for values from outside, and is the only one that runs the schema. `encode` and `decode` trust values that were
 * parsed once, and keep one promise: a decoded value equals the encoded one, or `encode` has thrown `STOPLOG_SCHEMA`.
 * A value that a codec would quietly change (NaN to null in JSON, a Map to an object) is refused: at the declaration where the
 * schema shows the fault, at `encode` where only the value does. Only -0 becomes 0, in every codec.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';

/**
 * A schema of any library that keeps Standard Schema: zod, valibot, arktype and others. Libraries are imported in this folder
 * alone; elsewhere a schema has these names.
 */
export type Schema = StandardSchemaV1;
export type Output<S extends Schema> = StandardSchemaV1.InferOutput<S>;
export type Input<S extends Schema> = StandardSchemaV1.InferInput<S>;

export type CodecName = 'json' | 'string' | 'bytes' | 'msgpack';
export const CODEC_NAMES: readonly CodecName[] = ['json', 'string', 'bytes', 'msgpack'];

/** A string is to be written as UTF-8: straight into the batch, without bytes in between. */
export type Encoded = Uint8Array | string;

export interface Serde<T> {
  readonly codec: CodecName;
  readonly schema: Schema;
  /** True when `decode` runs the schema too, because other programs write to the topic: bytes are then not passed on unread. */
  readonly parsesOnDecode: boolean;
  /** Parses a value from outside; throws a `STOPLOG_SCHEMA` that names the owner, the path and the first issue. */
  parse(input: unknown): T;
  encode(value: T): Encoded;
  /** Reads `bytes` from `start` to `end`; the result shares no memory with them. */
  decode(bytes: Uint8Array, start?: number, end?: number): T;
}

/** The topic, store, source or sink that a serde belongs to: errors name it. */
export interface Owner {
  readonly kind: 'topic' | 'store' | 'source' | 'sink';
  readonly name: string;
  readonly side: 'key' | 'value';
}
