import { topic, type Sink } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { planOf } from './plan.ts';

const text = { key: z.string(), value: z.string() };
const [a, b] = [topic('a', text), topic('b', text)];
const page = (): Sink<string, string> => ({ kind: 'sink', name: 'page', open: () => Promise.reject(new Error('never opened')) });

describe('a sink', () => {
  test('a sink belongs to each task that writes to it', () => {
    const one = page();
    const { tasks } = planOf(pipeline('p', stream(a).to(one), stream(b).to(one)));
    expect(tasks.map(({ inputs, sinks }) => [inputs.map((input) => input.topic.name), sinks])).toEqual([
      [['a'], [one]],
      [['b'], [one]],
    ]);
  });
  test('a sink behind two topics is refused, with the way around', () => {
    expect(() => planOf(pipeline('p', stream(a).merge(stream(b)).to(page())))).toThrow(
      /sink 'page' is written by a task that reads 'a' and 'b', and a sink keeps the position of one topic: write to a topic first/,
    );
  });
  test('a sink is refused when another one has its name', () => {
    expect(() => planOf(pipeline('p', stream(a).to(page()), stream(b).to(page())))).toThrow(/two sinks are named 'page'/);
  });
});
