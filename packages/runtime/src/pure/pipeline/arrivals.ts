/**
 * Arrivals are the records that a connector yields. They have no partitions yet.
 *
 * Two records with one key may be handled by two actors, so arrivals have no verb with state: no fold, no join. After
 * `rekey(...).through(topic)` equal keys meet in one partition, and the stream has these verbs.
 */
import type { Source } from '@stoplog/core';
import { source as sourceNode } from '../nodes/source.ts';
import { asSource } from './arguments.ts';
import { arrivalsFace } from './verbs.ts';
import type { Arrivals } from './faces.ts';

export type { Arrivals } from './faces.ts';

/**
 * Reads the arrivals of a connector: a queue, an Observable, a foreign topic.
 *
 * @example
 * source(ticks)
 */
export const source = <K, V>(source: Source<K, V>): Arrivals<K, V> => arrivalsFace<K, V>(sourceNode(asSource('source', source)));
