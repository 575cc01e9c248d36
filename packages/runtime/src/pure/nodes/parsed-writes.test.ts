import { compactedTopic, store, topic } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drive } from '../../testing/drive.ts';
import { simulate } from '../../testing/simulate.ts';
import { pipeline, type Pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';

const texts = topic('texts', { key: z.string(), value: z.string(), partitions: 1 });
const numbers = topic('numbers', { key: z.string(), value: z.int(), partitions: 1 });
const latest = compactedTopic('latest', { key: z.string(), value: z.int(), partitions: 1 });
const kept = store('kept', { key: z.string(), value: z.int() });
const orders = topic('orders', { key: z.string(), value: z.object({ lines: z.array(z.object({ cents: z.int() })) }), partitions: 1 });

/** Returns `any`, which passes for every type. */
const parsed = (text: string) => JSON.parse(text);
const sends = (made: Pipeline, text: string) => (): unknown => {
  const d = drive(made);
  d.send(texts, 'k', '1');
  d.send(texts, 'k', text);
  return d;
};

describe('drive parses keys and values made by functions before it writes them', () => {
  test.each([
    ['map', pipeline('p', stream(texts).map(parsed).to(numbers)), /map\(…\).* topic 'numbers'/],
    [
      'flatMap',
      pipeline(
        'p',
        stream(texts)
          .flatMap((text) => [parsed(text)])
          .to(numbers),
      ),
      /flatMap\(…\).* topic 'numbers'/,
    ],
    [
      'map',
      pipeline(
        'p',
        stream(texts)
          .map(parsed)
          .filter(() => true)
          .to(numbers),
      ),
      /map\(…\).* topic 'numbers'/,
    ],
    ['fold', pipeline('p', stream(texts).fold(kept, { init: () => 0, update: (_, text) => parsed(text) })), /fold\(…\).* store 'kept'/],
    [
      'process',
      pipeline(
        'p',
        stream(texts)
          .process(kept, (text, state, { key }) => (state.set(key, parsed(text)), []))
          .to(numbers),
      ),
      /process\(…\).* store 'kept'/,
    ],
    [
      'map',
      pipeline(
        'p',
        stream(texts)
          .fold(store('own', { key: z.string(), value: z.string() }), { init: () => '', update: (_, text) => text })
          .map(parsed)
          .to(latest),
      ),
      /map\(…\).* topic 'latest'/,
    ],
    [
      'rekey',
      pipeline(
        'p',
        stream(texts)
          .map(() => 1)
          .rekey((n) => parsed(`${n}`))
          .through(numbers)
          .count(kept),
      ),
      /rekey\(…\).* key .* topic 'numbers'/,
    ],
  ])('it refuses what %s returns or sets, a string for an integer', (_, made, said) => {
    const refusal = expect.objectContaining({ code: 'STOPLOG_HANDLER', message: expect.stringMatching(said) });
    expect(sends(made, '"2"')).toThrow(refusal);
    expect(sends(made, '"2"')).toThrow(/texts\[0\] offset [01], key 'k'/);
  });

  test('the error names the path of the value', () => {
    const made = pipeline(
      'p',
      stream(texts)
        .map((text) => (text === '1' ? { lines: [] } : parsed(text)))
        .to(orders),
    );
    expect(sends(made, '{"lines":[{"cents":1},{"cents":"2"}]}')).toThrow(/correct it at lines\[1\]\.cents/);
    expect(sends(made, '{"lines":[{"cents":1},{"cents":2}]}')).not.toThrow();
  });

  test('simulate refuses a string for an integer', () => {
    const made = pipeline('p', stream(texts).map(parsed).to(numbers));
    expect(() => simulate(made, { seed: 1, inputs: [{ topic: texts, records: [{ key: 'k', value: '"2"' }] }] })).toThrow(/map\(…\)/);
  });

  test('a missing property with a default is refused, and an unknown property is written', () => {
    const more = topic('more', { key: z.string(), value: z.object({ a: z.int(), b: z.int().default(0) }), partitions: 1 });
    const made = pipeline(
      'p',
      stream(texts)
        .map((text) => (text === '1' ? { a: 1, b: 1 } : parsed(text)))
        .to(more),
    );
    expect(sends(made, '{"a":1}')).toThrow(/correct it at b/);
    const d = drive(made);
    d.send(texts, 'k', '{"a":1,"b":2,"c":3}');
    expect(d.read(more)).toEqual([{ key: 'k', value: { a: 1, b: 2, c: 3 } }]);
  });
});

describe('the setting writes of a topic, a store and a pipeline', () => {
  const trusting = topic('trusting', { key: z.string(), value: z.int(), partitions: 1, writes: 'trusted' });
  const parsing = topic('parsing', { key: z.string(), value: z.int(), partitions: 1, writes: 'parsed' });
  test('a topic wins over its pipeline', () => {
    expect(sends(pipeline('p', stream(texts).map(parsed).to(trusting)), '"2"')).not.toThrow();
    expect(sends(pipeline({ name: 'p', writes: 'parsed' }, stream(texts).map(parsed).to(trusting)), '"2"')).not.toThrow();
    expect(sends(pipeline({ name: 'p', writes: 'trusted' }, stream(texts).map(parsed).to(parsing)), '"2"')).toThrow(/map\(…\)/);
  });
  test('a store wins over its pipeline', () => {
    const own = store('own', { key: z.string(), value: z.int(), writes: 'parsed' });
    const made = pipeline({ name: 'p', writes: 'trusted' }, stream(texts).fold(own, { init: () => 0, update: (_, text) => parsed(text) }));
    expect(sends(made, '"2"')).toThrow(/fold\(…\)/);
  });
  test('a pipeline wins over the default of drive', () => {
    expect(sends(pipeline({ name: 'p', writes: 'trusted' }, stream(texts).map(parsed).to(numbers)), '"2"')).not.toThrow();
  });
  test('a schema with a transform is trusted, and refused where it is declared parsed', () => {
    const value = z.string().transform(Number);
    const made = pipeline(
      'p',
      stream(texts)
        .map(Number)
        .to(topic('made', { key: z.string(), value, partitions: 1 })),
    );
    expect(sends(made, '2')).not.toThrow();
    expect(() => topic('made', { key: z.string(), value, writes: 'parsed' })).toThrow(
      /topic 'made' cannot have writes: 'parsed', because a schema of it transforms/,
    );
    expect(() => store('made', { key: z.string(), value, writes: 'parsed' })).toThrow(/store 'made' cannot have writes: 'parsed'/);
  });
  test('another word is refused', () => {
    expect(() => pipeline({ name: 'p', writes: 'loose' as never }, stream(texts).to(texts))).toThrow(
      /pipeline 'p' cannot have writes: loose: take 'trusted' or 'parsed'/,
    );
    expect(() => pipeline({ name: 'p', write: 'parsed' } as never, stream(texts).to(texts))).toThrow(/pipeline 'p' knows no setting 'write'/);
    expect(() => store('s', { key: z.string(), value: z.int(), writes: 'loose' as never })).toThrow(/store 's' cannot have writes: loose/);
  });
});
