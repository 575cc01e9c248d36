/** As many partitions as a user is likely to have, each with an actor and a part of a store. */
import { compactedTopic, store, topic } from '@stoplog/core';
import { pipeline, stream } from '@stoplog/runtime';
import { z } from 'zod';

export const PARTITIONS = 1_000;
const Key = z.string();
export const wide = topic('wide', { key: Key, value: z.int(), partitions: PARTITIONS });
const counts = compactedTopic('wide-counts', { key: Key, value: z.int(), partitions: PARTITIONS });

export default pipeline(
  'wide',
  stream(wide)
    .count(store('wide-count', { key: Key, value: z.int() }))
    .to(counts),
);
