import { compactedTopic, store, topic } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drive } from '../../testing/drive.ts';
import { pipeline, type Pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { table } from '../pipeline/table.ts';

const Key = z.string().nullable();
const from = topic('from', { key: Key, value: z.int(), partitions: 4 });
const to = topic('to', { key: Key, value: z.int(), partitions: 4 });
const kept = store('kept', { key: Key, value: z.int() });
const names = compactedTopic('names', { key: Key, value: z.int(), partitions: 4 });

const sent = (made: Pipeline): ReturnType<typeof drive> => {
  const d = drive(made);
  for (let n = 0; n < 8; n++) d.send(from, null, n);
  d.send(from, 'a', 8);
  return d;
};

describe('records without a key, which lie in any partition', () => {
  test('records without a key are not counted: every partition would count them apart', () => {
    const d = sent(pipeline('p', stream(from).count(kept)));
    expect(d.store(kept).range()).toEqual([['a', 1]]);
  });

  test('records without a key are not folded', () => {
    const d = sent(pipeline('p', stream(from).fold(kept, { init: () => 0, update: (sum, n) => sum + n })));
    expect(d.store(kept).range()).toEqual([['a', 8]]);
  });

  test('records without a key are not processed', () => {
    const d = sent(
      pipeline(
        'p',
        stream(from)
          .process(kept, (n, state, { key }) => (state.set(key, n), [n]))
          .to(to),
      ),
    );
    expect([d.store(kept).range(), d.read(to)]).toEqual([[['a', 8]], [{ key: 'a', value: 8 }]]);
  });

  test.each(['join', 'leftJoin'] as const)('%s does not match records without a key', (verb) => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          [verb](table(names), (n: number) => n)
          .to(to),
      ),
    );
    d.send(names, 'a', 1);
    for (const key of [null, 'a']) d.send(from, key, 5);
    expect(d.read(to)).toEqual([{ key: 'a', value: 5 }]);
  });

  test('records without a key pass verbs without a store', () => {
    expect(
      sent(
        pipeline(
          'p',
          stream(from)
            .map((n) => n)
            .to(to),
        ),
      ).read(to),
    ).toHaveLength(9);
  });

  test('rekey makes records without a key only for a topic whose schema allows them', () => {
    const strict = topic('strict', { key: z.string(), value: z.int() });
    const nobody = (() => null) as unknown as () => string;
    const d = drive(pipeline('p', stream(from).rekey(nobody).through(strict).to(to)));
    expect(() => d.send(from, 'a', 1)).toThrow(/key for topic 'strict' does not parse/);
    const lenient = drive(
      pipeline(
        'p',
        stream(from)
          .rekey((): string | null => null)
          .through(topic('lenient', { key: Key, value: z.int() }))
          .to(to),
      ),
    );
    lenient.send(from, 'a', 1);
    expect(lenient.read(to)).toEqual([{ key: null, value: 1 }]);
  });
});
