/**
 * A Stream is a sequence of records: facts, one after the other, each with a key.
 *
 * A verb only builds a value that declares the work; nothing runs until `run` or `drive` gets the pipeline. Verbs without a store keep
 * nothing between two records. Verbs with a store, and joins, drop records without a key, which may be in any partition; `app.status`
 * counts them as `dropped`. A verb with a store takes the store as its first argument, because state outlives the program that made it
 * and must be found again by name.
 *
 * The record is the second argument of every function, as the index is in `Array.map`. The arguments of a function are frozen, and so is
 * its result: other functions and the store see the same value. A change in place is refused.
 */
import type { Origin } from '@stoplog/core';
import { stream as streamNode } from '../nodes/stream.ts';
import { asTopic } from './arguments.ts';
import { streamFace } from './verbs.ts';
import type { Stream } from './faces.ts';

export type { Fold, StateView, Rekeyed, Stream } from './faces.ts';

/**
 * Reads the records of a topic, as they were appended. A compacted topic is read with `table`.
 *
 * @example
 * stream(orders)
 */
export const stream = <K, V>(topic: Origin<K, V> & { readonly kind: 'topic' }): Stream<K, V> =>
  streamFace<K, V>(streamNode(asTopic('stream', topic, ['topic'])));
