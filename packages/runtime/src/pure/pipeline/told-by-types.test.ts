import { compactedTopic, store, topic } from '@stoplog/core';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { pipeline, type Ends } from './pipeline.ts';
import type { SameKey, Stream, Table } from './faces.ts';
import { stream } from './stream.ts';
import { table } from './table.ts';

const text = { key: z.string(), value: z.string() };
const [from, to] = [topic('from', text), topic('to', text)];
const byNumber = table(compactedTopic('by-number', { key: z.int(), value: z.string() }));
const kept = store('kept', { key: z.string(), value: z.int() });

describe('the type error', () => {
  test('the type error of a stream that is no end mentions .to(topic)', () => {
    expectTypeOf<Ends<[Stream<string, string>]>[0]>().toEqualTypeOf<'a stream is not an end: write it with .to(topic), or keep it with a fold or count'>();
    expectTypeOf<Ends<[Table<string, string>]>[0]>().toEqualTypeOf<Table<string, string>>();
    // @ts-expect-error The stream has no end.
    expect(() => pipeline('p', stream(from))).toThrow(/as made by \.to\(topic\)/);
    expect(pipeline('p', stream(from).to(to), stream(from).count(kept)).ends).toHaveLength(2);
  });

  test('the type error of a join with keys of another type mentions the keys', () => {
    expectTypeOf<SameKey<number, string>>().toExtend<string>();
    expectTypeOf<SameKey<string, string>>().toEqualTypeOf<unknown>();
    // @ts-expect-error The table's keys are numbers.
    stream(from).join(byNumber, (value) => value);
    // @ts-expect-error The table's keys are numbers.
    stream(from).leftJoin(byNumber, (value) => value);
  });
});

describe('an async function', () => {
  const later = async (): Promise<string> => 'x';
  async function* many(): AsyncGenerator<string> {
    yield 'x';
  }
  test('a verb refuses an async function when it is called and names itself', () => {
    expect(() => stream(from).map(later)).toThrow(/map was given an async function, but verbs are synchronous/);
    expect(() => stream(from).flatMap(many as unknown as () => string[])).toThrow(/flatMap was given an async function/);
    expect(() => stream(from).fold(kept, { init: () => 0, update: later as unknown as () => number })).toThrow(/fold was given an async function/);
  });
});
