/** Two kinds of consumers behind a fast producer: a slow one, and ones that never return from a record. */
import { topic, type Topic } from '@stoplog/core';
import { pipeline, stream, type Pipeline } from '@stoplog/runtime';
import { z } from 'zod';

/** Each of these partitions is tried five times, and costs its neighbours a thread each time, until it is stopped. */
export const STUCK_PARTITIONS = 4;
const spec = { key: z.string(), value: z.string() };
export const slow: Topic<string, string> = topic('slow', { ...spec, partitions: 1 });
export const slowDone: Topic<string, string> = topic('slow-done', { ...spec, partitions: 1 });
export const stuck: Topic<string, string> = topic('stuck', { ...spec, partitions: STUCK_PARTITIONS });
export const stuckDone: Topic<string, string> = topic('stuck-done', { ...spec, partitions: STUCK_PARTITIONS });

const aMillisecond = (value: string): string => {
  for (const until = performance.now() + 1; performance.now() < until;);
  return value.slice(0, 20);
};
const never = (): string => {
  for (;;);
};
const consumers: Pipeline = pipeline('consumers', stream(slow).map(aMillisecond).to(slowDone), stream(stuck).map(never).to(stuckDone));
export default consumers;
