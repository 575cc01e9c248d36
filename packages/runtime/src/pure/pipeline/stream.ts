/**
 * A Stream is records on their way: facts, one after the other, each with a key.
 *
 * A verb only builds a value that says what shall be done; nothing runs until `run` or `drive` is given the pipeline.
 * Verbs without a store keep nothing between two records. Verbs with a store, and joins, leave out records without a key, which
 * may be in any partition; `app.status` counts those as `dropped`. A verb with a store takes it as its first argument, because
 * state outlives the program that made it and must be found again.
 *
 * The record is the second argument of every function, as the index is in `Array.map`. What a function is given is frozen, and
 * so is what it returns: other functions and the store see the same value. A change in place is refused.
 */
import type { Origin } from '@stoplog/core';
import { stream as streamNode } from '../nodes/stream.ts';
import { asTopic } from './arguments.ts';
import { streamFace } from './verbs.ts';
import type { Stream } from './faces.ts';

export type { Fold, StateView, Rekeyed, Stream } from './faces.ts';

/**
 * The records of a topic, as they were appended. A compacted topic is read with `table`.
 *
 * @example
 * stream(orders)
 */
export const stream = <K, V>(topic: Origin<K, V> & { readonly kind: 'topic' }): Stream<K, V> =>
  streamFace<K, V>(streamNode(asTopic('stream', topic, ['topic'])));
