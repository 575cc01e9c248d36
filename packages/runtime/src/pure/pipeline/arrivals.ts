/**
 * Arrivals are what a connector yields: records without partitions.
 *
 * Two records with one key might still be handled by two actors, so there is no state here: no fold, no join. After
 * `rekey(...).through(topic)` equal keys meet, and the verbs appear.
 */
import type { Source } from '@stoplog/core';
import { source as sourceNode } from '../nodes/source.ts';
import { asSource } from './arguments.ts';
import { arrivalsFace } from './verbs.ts';
import type { Arrivals } from './faces.ts';

export type { Arrivals } from './faces.ts';

/**
 * What a connector yields: a queue, an Observable, a foreign topic.
 *
 * @example
 * source(ticks)
 */
export const source = <K, V>(source: Source<K, V>): Arrivals<K, V> => arrivalsFace<K, V>(sourceNode(asSource('source', source)));
