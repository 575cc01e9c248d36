/** Two tasks that copy: one takes a millisecond for each record, the other none. */
import { topic } from '@stoplog/core';
import { pipeline, stream } from '@stoplog/runtime';
import { z } from 'zod';

const spec = { key: z.string(), value: z.string(), partitions: 1 } as const;
export const slow = topic('slow', spec);
export const quick = topic('quick', spec);
export const quickDone = topic('quick-done', spec);

const slowly = (value: string): string => {
  for (const until = performance.now() + 1; performance.now() < until;);
  return value.slice(0, 10);
};
export default pipeline('pressure', stream(slow).map(slowly).to(topic('slow-done', spec)), stream(quick).to(quickDone));
