/**
 * A full-text index: for each word, the codes of the airports that have it. Documents lie under their codes, so each word is sent through
 * a topic in which equal words meet.
 */
import { store, topic, type Store } from '@stoplog/core';
import { pipeline, stream, type Pipeline } from '@stoplog/runtime';
import { z } from 'zod';
import { documents, type Document } from './documents.ts';

const Word = z.object({ word: z.string(), code: z.string() });
const words = topic('words', { key: z.string(), value: Word, partitions: 2 });

/** The codes of a word, in their order. */
export const postingsAt = (version: number): Store<string, string[]> => store('postings', { key: z.string(), value: z.array(z.string()), version });

export type Tokenizer = (text: string) => readonly string[];

export const indexOf = (version: number, wordsOf: Tokenizer): Pipeline =>
  pipeline(
    'search',
    stream(documents)
      .flatMap((document: Document, { key }) => [...new Set(wordsOf(textOf(document)))].map((word) => ({ word, code: key })))
      .rekey(({ word }) => word)
      .through(words)
      .fold(postingsAt(version), { init: () => [], update: (codes, { code }) => [...codes, code].toSorted() }),
  );

export const textOf = ({ name, city, state }: Document): string => `${name} ${city} ${state}`;
