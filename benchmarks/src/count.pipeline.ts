/** Counts by key. The values are bytes that are never read. */
import { compactedTopic, store, topic } from '@stoplog/core';
import { pipeline, stream } from '@stoplog/runtime';
import { z } from 'zod';

export const PARTITIONS = 2;
const Key = z.string();
export const events = topic('events', { key: Key, value: z.instanceof(Uint8Array), partitions: PARTITIONS, codec: { value: 'bytes' } });
export const counts = compactedTopic('counts', { key: Key, value: z.int(), partitions: PARTITIONS });
export const countByKey = store('count-by-key', { key: Key, value: z.int() });

export default pipeline('count', stream(events).count(countByKey).to(counts));
