/** The pipelines of the cases that need a running one: records that yield nothing, gaps, headers, hostile keys. */
import { compactedTopic, store, topic, type CompactedTopic, type Store, type Topic } from '@stoplog/core';
import { pipeline, stream, table, type Pipeline } from '@stoplog/runtime';
import { z } from 'zod';

const numbered = { key: z.string(), value: z.int(), partitions: 1 } as const;
const worded = { key: z.string(), value: z.string(), partitions: 1, codec: { key: 'string', value: 'string' } } as const;

export const thousand: Topic<string, number> = topic('thousand', numbered);
export const hundreds: Topic<string, number> = topic('hundreds', numbered);
export const dropped: Topic<string, number> = topic('dropped', numbered);
export const nothing: Topic<string, number> = topic('nothing', numbered);
export const deletions: CompactedTopic<string, number> = compactedTopic('deletions', numbered);
export const deleted: CompactedTopic<string, number> = compactedTopic('deleted', numbered);
export const letters: Topic<string, string> = topic('letters', worded);
export const letterCopies: Topic<string, string> = topic('letter-copies', worded);
export const words: Topic<string, string> = topic('words', worded);
export const perWord: Store<string, number> = store('per-word', { key: z.string(), value: z.int() });

const cases: Pipeline = pipeline(
  'cases',
  stream(thousand)
    .filter((n) => n % 100 === 0)
    .to(hundreds),
  stream(dropped)
    .flatMap((): number[] => [])
    .to(nothing),
  table(deletions).to(deleted),
  stream(letters).to(letterCopies),
  stream(words).count(perWord),
);
export default cases;
