/** Sinks in a driven and in a simulated pipeline: each record is written once, in spite of crashes. */
import { compactedTopic, store, topic, type Sink } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pure/pipeline/pipeline.ts';
import { stream } from '../pure/pipeline/stream.ts';
import { table } from '../pure/pipeline/table.ts';
import { drive, seeds, simulate } from './index.ts';

const text = { key: z.string(), value: z.string() };
const lines = topic('lines', { ...text, partitions: 2 });
const words = topic('words', { ...text, partitions: 2 });
const names = compactedTopic('names', text);
const counts = store('counts', { key: z.string(), value: z.int() });
const sink = <K, V>(name: string): Sink<K, V> => ({ kind: 'sink', name, open: () => Promise.reject(new Error('a test opens no sink')) });
const page = sink<string, string>('page');
const totals = sink<string, number>('totals');
const mirror = sink<string, string>('mirror');

const counting = pipeline(
  'counting',
  stream(lines)
    .flatMap((line) => line.split(' '))
    .rekey((word) => word)
    .through(words)
    .to(page),
  stream(words).count(counts).to(totals),
);

describe('a driven pipeline', () => {
  test('written returns the records written to a sink since the last call', () => {
    const d = drive(counting);
    d.send(lines, '1', 'a b a');
    const first = d.written(page).map(({ value }) => value);
    expect([first.filter((value) => value === 'a').length, first.filter((value) => value === 'b').length, first.length]).toEqual([2, 1, 3]);
    d.send(lines, '1', 'c');
    expect(d.written(page)).toEqual([{ key: 'c', value: 'c' }]);
    expect(d.written(totals).at(-1)).toEqual({ key: 'c', value: 1 });
  });
  test('a sink of a table gets the latest change of each key, null for a deleted one', () => {
    const d = drive(pipeline('mirroring', table(names).to(mirror)));
    d.send(names, 'a', 'Ada');
    d.send(names, 'a', null);
    expect(d.written(mirror)).toEqual([
      { key: 'a', value: 'Ada' },
      { key: 'a', value: null },
    ]);
  });
  test('a failed step writes nothing, and its retry writes each record once', () => {
    let fails = true;
    const d = drive(
      pipeline(
        'failing',
        stream(lines)
          .map((line) => {
            if (fails && line === 'bad') throw new Error('boom');
            return line;
          })
          .to(page),
      ),
    );
    expect(() =>
      d.batch(() => {
        d.send(lines, 'k', 'good');
        d.send(lines, 'k', 'bad');
      }),
    ).toThrow('boom');
    expect(d.written(page)).toEqual([]);
    fails = false;
    d.restart();
    expect(d.written(page).map(({ value }) => value)).toEqual(['good', 'bad']);
  });
});

test('a simulated pipeline writes each record to its sink once, through crashes, power cuts and members that join and leave', () => {
  const records = Array.from({ length: 30 }, (_, i) => ({ key: `k${i % 5}`, value: `w${i % 7} w${i}` }));
  let crashes = 0;
  for (const seed of seeds(150)) {
    const { counters, written } = simulate(counting, { seed, inputs: [{ topic: lines, records }] });
    expect(written(page).length).toBe(60);
    crashes += counters['crash after send, before apply'] + counters['crash before send'];
  }
  expect(crashes).toBeGreaterThan(20);
});
