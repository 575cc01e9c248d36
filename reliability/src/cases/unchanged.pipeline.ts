/** O18: a table whose unchanged values are not emitted, and a step after its store that fails the first time it runs. */
import { existsSync, writeFileSync } from 'node:fs';
import { compactedTopic, topic, type CompactedTopic, type Topic } from '@stoplog/core';
import { pipeline, table, type Pipeline } from '@stoplog/runtime';
import { z } from 'zod';

const spec = { key: z.string(), value: z.string(), partitions: 1 } as const;
export const current: CompactedTopic<string, string> = compactedTopic('current', spec);
export const changed: Topic<string, string> = topic('changed', spec);

/** Fails once in the life of a log: FAILED names the file that records it, FAILS_BY the way. */
const failOnce = (): void => {
  const note = process.env['FAILED'];
  const how = process.env['FAILS_BY'];
  if (note === undefined || existsSync(note)) return;
  writeFileSync(note, `${how}`);
  if (how === 'kill') process.kill(process.pid, 'SIGKILL');
  // In a thread of the pool this ends the thread alone.
  if (how === 'exit') process.exit(7);
  throw new Error('the first time');
};

const unchanged: Pipeline = pipeline(
  'unchanged',
  table(current)
    .changes()
    .filter(({ before, after }) => before !== after)
    .map(({ after }) => {
      failOnce();
      return after ?? '';
    })
    .to(changed),
);
export default unchanged;
