import { compactedTopic, store, topic } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pure/pipeline/pipeline.ts';
import { stream } from '../pure/pipeline/stream.ts';
import { drive } from './drive.ts';

const Word = z.string();
const lines = topic('lines', { key: z.string(), value: z.string() });
const words = topic('words', { key: Word, value: Word });
const counts = compactedTopic('word-counts', { key: Word, value: z.int() });
const countByWord = store('count-by-word', { key: Word, value: z.int() });
const wordCount = pipeline(
  'word-count',
  stream(lines)
    .flatMap((line) => line.toLowerCase().match(/\p{L}+/gu) ?? [])
    .rekey((word) => word)
    .through(words)
    .count(countByWord)
    .to(counts),
);

describe('word count', () => {
  test('the words of all lines are counted, in all partitions', () => {
    const d = drive(wordCount);
    d.send(lines, 'l1', 'To be, or not to be:');
    d.send(lines, 'l2', 'that is the question — 42');
    d.send(lines, 'l3', '…');
    expect(d.store(countByWord).range()).toEqual([
      ['be', 2],
      ['is', 1],
      ['not', 1],
      ['or', 1],
      ['question', 1],
      ['that', 1],
      ['the', 1],
      ['to', 2],
    ]);
    expect(d.store(countByWord).get('be')).toBe(2);
    expect(d.read(words)).toHaveLength(10);
  });

  test("each word's new count is output once per commit", () => {
    const d = drive(wordCount);
    d.send(lines, 'l', 'no no no');
    d.send(lines, 'l', 'no');
    expect(d.read(counts)).toEqual([
      { key: 'no', value: 3 },
      { key: 'no', value: 4 },
    ]);
  });

  test('any word is counted, also é and the names of object properties', () => {
    const d = drive(wordCount);
    d.send(lines, 'l', 'constructor tostring été été constructor');
    expect(['constructor', 'tostring', 'été'].map((word) => d.store(countByWord).get(word))).toEqual([2, 1, 2]);
  });
});
