import { compactedTopic, store, topic, type Store } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pipeline/pipeline.ts';
import { stream, type Stream } from '../pipeline/stream.ts';
import { table } from '../pipeline/table.ts';
import { hashText } from '../nodes/hash-text.ts';
import { planOf } from './plan.ts';

const text = { key: z.string(), value: z.string() };
const number = { key: z.string(), value: z.int() };
const names = table(compactedTopic('names', text));
type Edit = (lines: Stream<string, string>) => Stream<string, string>;

interface Edits {
  name?: string;
  lines?: object;
  path?: Edit;
  counts?: Store<string, number>;
}
const fingerprint = ({ name = 'p', lines = {}, path = (l) => l.map((line) => line), counts = store('n', number) }: Edits = {}): string =>
  planOf(pipeline(name, path(stream(topic('lines', { ...text, ...lines }))).count(counts))).fingerprint;

describe('fingerprint', () => {
  test('a fingerprint is twelve hex digits, and equal for equal graphs', () => {
    expect(fingerprint()).toMatch(/^[0-9a-f]{12}$/);
    expect(fingerprint()).toBe(fingerprint());
  });

  test('a fingerprint does not change with the body of a function', () => {
    expect(fingerprint({ path: (l) => l.map((line) => `${line}!`) })).toBe(fingerprint());
  });

  test('a fingerprint changes with every edit of the graph', () => {
    const through =
      (name: string, partitions = 4): Edit =>
      (l) =>
        l.rekey((line) => line).through(topic(name, { ...text, partitions }));
    const edits: Record<string, string> = {
      'as it was': fingerprint(),
      'another name': fingerprint({ name: 'q' }),
      'another verb': fingerprint({ path: (l) => l.filter(() => true) }),
      'one more verb': fingerprint({ path: (l) => l.map((line) => line).map((line) => line) }),
      'a verb less': fingerprint({ path: (l) => l }),
      'a flatMap': fingerprint({ path: (l) => l.flatMap((line) => [line]) }),
      'a join': fingerprint({ path: (l) => l.join(names, (line) => line) }),
      'a left join': fingerprint({ path: (l) => l.leftJoin(names, (line) => line) }),
      'a merge': fingerprint({ path: (l) => l.merge(stream(topic('more', text))) }),
      'a merge the other way': fingerprint({ path: (l) => stream(topic('more', text)).merge(l) }),
      'a topic between': fingerprint({ path: through('between') }),
      'another topic between': fingerprint({ path: through('between-2') }),
      'a wider topic between': fingerprint({ path: through('between', 8) }),
      'more partitions': fingerprint({ lines: { partitions: 8 } }),
      'another codec': fingerprint({ lines: { codec: { value: 'string' } } }),
      'another schema': fingerprint({ lines: { key: z.string().min(1) } }),
      'another store': fingerprint({ counts: store('m', number) }),
      'a new version': fingerprint({ counts: store('n', { ...number, version: 2 }) }),
      'another store schema': fingerprint({ counts: store('n', { key: z.string(), value: z.number() }) }),
      'a fold for a count': planOf(
        pipeline(
          'p',
          stream(topic('lines', text))
            .map((line) => line)
            .fold(store('n', number), { init: () => 0, update: (n) => n + 1 }),
        ),
      ).fingerprint,
      'one more end': planOf(
        pipeline(
          'p',
          stream(topic('lines', text))
            .map((line) => line)
            .count(store('n', number)),
          names.to(compactedTopic('copies', text)),
        ),
      ).fingerprint,
    };
    expect(new Set(Object.values(edits)).size).toBe(Object.keys(edits).length);
  });

  test('a fingerprint differs between two wirings of the same nodes', () => {
    const wired = (twice: boolean): string => {
      const lines = stream(topic('lines', text));
      const [a, b] = [lines.map((line) => line), lines.map((line) => line)];
      return planOf(pipeline('p', a.to(topic('x', text)), b.to(topic('y', text)), (twice ? a : b).to(topic('z', text)))).fingerprint;
    };
    expect(wired(true)).not.toBe(wired(false));
  });
});

describe('hashText', () => {
  test('a hash spreads texts that differ in one character over all of its bits', () => {
    const hashes = Array.from({ length: 100_000 }, (_, i) => hashText(`node ${i}`));
    expect(new Set(hashes).size).toBe(hashes.length);
    for (let digit = 0; digit < 12; digit++) {
      const counts = new Map<string, number>();
      for (const hash of hashes) counts.set(hash.charAt(digit), (counts.get(hash.charAt(digit)) ?? 0) + 1);
      for (const count of counts.values()) expect(Math.abs(count - 6_250)).toBeLessThan(500);
    }
  });
});
