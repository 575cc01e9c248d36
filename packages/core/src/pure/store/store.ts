/**
 * A store as a value: named state of one pipeline, kept per partition, folded from a topic.
 *
 * The type is invariant in key and value, because a store is both read and written: a store of `number | string` is no store
 * of `number`. Keys sort (`bytes/sort-key.ts`), so that ranges mean something; values are stored in a codec. The schemas'
 * hash is stored beside the data: when the schemas change, the version must change too, since the old values were made by
 * other code.
 */
import { StoplogError } from '../errors.ts';
import { checkCarries } from '../schema/carries.ts';
import type { CodecName, Output, Schema, Serde } from '../schema/codec.ts';
import { describeSchema, fingerprintOf } from '../schema/fingerprint.ts';
import { serde } from '../schema/serde.ts';
import { checkSettings, type Known } from '../settings.ts';
import { checkName } from '../topic/name.ts';
import { checkWrites, type Writes } from '../topic/writes.ts';

declare const holds: unique symbol;

export interface Store<in out K, in out V> {
  readonly kind: 'store';
  readonly name: string;
  readonly [holds]?: (entry: [K, V]) => [K, V];
}

/** A store as the runtime sees it. */
export interface AnyStore {
  readonly kind: 'store';
  readonly name: string;
  /** Raise it when the schema, or the code that computes the state, changes. */
  readonly version: number;
  readonly keySchema: Schema;
  readonly valueSerde: Serde<unknown>;
  /** Hash of both schemas and the codec. */
  readonly fingerprint: string;
  /** Both schemas in a few words, for the error that compares them. */
  readonly description: string;
  /** Undefined when not declared: the pipeline's setting applies. */
  readonly writes?: Writes | undefined;
}

export interface StoreSpec<K, V> {
  readonly key: K;
  readonly value: V;
  /** 1 by default; raise it whenever the schema, or the code that computes the state, changes. */
  readonly version?: number;
  /** The codec of the values: JSON by default. */
  readonly codec?: CodecName;
  /** Trusts what functions of a pipeline make, or parses it before it is written. trusted, in tests parsed when left out. */
  readonly writes?: Writes;
}
const KNOWN: Known<StoreSpec<Schema, Schema>> = { key: true, value: true, version: true, codec: true, writes: true };

/**
 * Declares the state of one pipeline: a value for each key, written by `fold`, `count` or `process`, and read with `app.store(store)`.
 *
 * @example
 * const spent = store('spent-by-customer', { key: z.string(), value: z.int() });
 */
export const store = <K extends Schema, V extends Schema>(name: string, spec: StoreSpec<K, V>): Store<Output<K>, Output<V>> => {
  checkName('store', name);
  checkSettings<StoreSpec<Schema, Schema>>(`store '${name}'`, spec, KNOWN);
  const version = spec.version ?? 1;
  if (!Number.isInteger(version) || version < 1 || version > 0x7fffffff)
    throw new StoplogError('STOPLOG_USAGE', { store: name, version }, `store '${name}' cannot have version ${String(version)}: take a whole number from 1 on`);
  const codec = spec.codec ?? 'json';
  checkCarries(spec.key, 'sort-key', { kind: 'store', name, side: 'key' });
  checkWrites({ kind: 'store', name }, spec.writes, [spec.key, spec.value]);
  const declared: AnyStore & { readonly [mark]: true } = {
    [mark]: true,
    kind: 'store',
    name,
    version,
    keySchema: spec.key,
    valueSerde: serde(spec.value, codec, 'value', name, 'store'),
    fingerprint: fingerprintOf(spec.key, spec.value, codec),
    description: `key: ${describeSchema(spec.key)}, value: ${describeSchema(spec.value)}`,
    writes: spec.writes,
  };
  return Object.freeze(declared);
};

/** The runtime's side of a store. */
export const storeOf = (face: { readonly kind: 'store'; readonly name: string }): AnyStore => {
  if (typeof face === 'object' && face !== null && mark in face) return face as unknown as AnyStore;
  throw new StoplogError('STOPLOG_USAGE', { found: typeof face }, 'this is not a store: pass a value made by store(…)');
};

/** A registered symbol, so that two copies of this package recognise each other's stores. */
const mark = Symbol.for('stoplog.store');
