/** The least work of a pipeline: parse, pass on, write. */
import { topic } from '@stoplog/core';
import { pipeline, stream } from '@stoplog/runtime';
import { z } from 'zod';

const Id = z.object({ id: z.int() });
export const requests = topic('requests', { key: z.string(), value: Id, partitions: 1 });
export const answers = topic('answers', { key: z.string(), value: Id, partitions: 1 });

export default pipeline(
  'latency',
  stream(requests)
    .map(({ id }) => ({ id: -id }))
    .to(answers),
);
