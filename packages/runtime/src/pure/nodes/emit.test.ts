import { compactedTopic, store, topic } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drive } from '../../testing/drive.ts';
import { pipeline, type Pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { table } from '../pipeline/table.ts';
import { planOf } from '../topology/plan.ts';

const open = { key: z.string(), value: z.unknown() };
const [from, via, to] = [topic('from', open), topic('via', open), topic('to', open)];
const [customers, copies] = [compactedTopic('customers', open), compactedTopic('copies', open)];
const kept = store('kept', open);
const later = (): Promise<never> => {
  return Promise.reject(new Error('a promise that nobody may leave unhandled'));
};
// Code that the compiler refuses in TypeScript, and that a module in plain JavaScript may contain.
const wrong = <T>(fn: unknown): T => fn as T;

describe('a function that returns a promise is refused by the name of its verb', () => {
  test.each<readonly [string, Pipeline]>([
    ['filter', pipeline('p', stream(from).filter(wrong(later)).to(to))],
    ['map', pipeline('p', stream(from).map(later).to(to))],
    ['flatMap', pipeline('p', stream(from).flatMap(wrong(later)).to(to))],
    ['rekey', pipeline('p', stream(from).rekey(wrong<() => string>(later)).through(via).to(to))],
    ['join', pipeline('p', stream(from).join(table(customers), later).to(to))],
    ['leftJoin', pipeline('p', stream(from).leftJoin(table(customers), later).to(to))],
    ['fold', pipeline('p', stream(from).fold(kept, { init: () => 0, update: later }))],
    ['fold', pipeline('p', stream(from).fold(kept, { init: later, update: () => 1 }))],
    ['process', pipeline('p', stream(from).process(kept, wrong<() => never[]>(later)).to(to))],
    ['map', pipeline('p', table(customers).map(later).to(copies))],
    ['filter', pipeline('p', table(customers).filter(wrong(later)).to(copies))],
    [
      'map',
      pipeline(
        'p',
        stream(from)
          .join(table(customers).map(later), (a) => a)
          .to(to),
      ),
    ],
    [
      'filter',
      pipeline(
        'p',
        stream(from)
          .join(table(customers).filter(wrong(later)), (a) => a)
          .to(to),
      ),
    ],
  ])('%s', (verb, promising) => {
    const d = drive(promising);
    const read = new Set(planOf(promising).topics.map(({ name }) => name));
    expect(() => {
      if (read.has('customers')) d.send(customers, 'a', 1);
      if (read.has('from')) d.send(from, 'a', 1);
    }).toThrow(
      expect.objectContaining({
        code: 'STOPLOG_HANDLER',
        facts: expect.objectContaining({ verb, key: 'a' }),
        message: expect.stringContaining(`given to ${verb}(…) returned a promise`),
      }),
    );
  });
});

describe('a function that should yield several values', () => {
  test.each([undefined, null, 7, {}])('the function is refused by the name of its verb when it returns %s', (result) => {
    const step = wrong<() => never[]>(() => result);
    expect(() => drive(pipeline('p', stream(from).flatMap(step).to(to))).send(from, 'a', 1)).toThrow(/given to flatMap\(…\) returned .*\[\] for none/);
    expect(() => drive(pipeline('p', stream(from).process(kept, step).to(to))).send(from, 'a', 1)).toThrow(/given to process\(…\) returned .*\[\] for none/);
  });

  test('an async generator is refused too', () => {
    async function* later(): AsyncGenerator<number> {
      yield 1;
    }
    const step = wrong<() => never[]>(() => later());
    expect(() => drive(pipeline('p', stream(from).flatMap(step).to(to))).send(from, 'a', 1)).toThrow(/flatMap\(…\) returned something that is not iterable/);
  });
});
