/** Counts how often each word occurs: splits lines into words, sends each to the partition of its word, counts there. */
import { compactedTopic, store, topic } from '@stoplog/core';
import { pipeline, stream } from '@stoplog/runtime';
import { z } from 'zod';

const Word = z.string();
export const lines = topic('lines', { key: z.string(), value: z.string() });
const words = topic('words', { key: Word, value: Word });
export const counts = compactedTopic('word-counts', { key: Word, value: z.int() });
export const countByWord = store('count-by-word', { key: Word, value: z.int() });

export default pipeline(
  'word-count',
  stream(lines)
    .flatMap((line) => line.toLowerCase().match(/\p{L}+/gu) ?? [])
    .rekey((word) => word)
    .through(words)
    .count(countByWord)
    .to(counts),
);
