/** A loop that repeats its append until it succeeds appends each record once, whichever answers are lost. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { NumberedCommit, NumberedLog } from '../port/numbered-log.ts';
import { topic } from '../pure/topic/topic.ts';
import { MemoryDisk } from '../testing/memory-disk.ts';
import { memoryLog } from '../testing/memory-log.ts';
import { makeClient } from './client.ts';
import type { NewRecord } from './appending.ts';
import type { NumberedClient } from './client.ts';

const PARTITIONS = 3;
const letters = topic('letters', { key: z.string().nullable(), value: z.string(), partitions: PARTITIONS });
type Letter = NewRecord<string | null, string>;

/** The fate of each commit: it succeeds, it is lost, its answer is lost, or its answer and the log are. */
const fate = fc.constantFrom('well', 'well', 'well', 'lost', 'answer', 'log');
type Fate = typeof fate extends fc.Arbitrary<infer T> ? T : never;
const flaky = (log: NumberedLog, fates: () => Fate): NumberedLog => {
  let gone = false;
  return Object.create(log, {
    ensure: { value: log.ensure.bind(log) },
    producer: { value: log.producer.bind(log) },
    commit: {
      value: async (commit: NumberedCommit) => {
        const happens = gone ? 'lost' : fates();
        if (happens !== 'lost') {
          const committed = await log.commit(commit);
          if (happens === 'well') return committed;
        }
        if (happens === 'log') gone = true;
        throw new Error(gone ? 'the log is gone' : 'nobody knows');
      },
    },
  }) as NumberedLog;
};
const append = fc.record({
  records: fc.array(
    fc.record({ key: fc.constantFrom(null, 'a', 'b', 'c'), size: fc.constantFrom(1, 1, 10, 70_000), timestamp: fc.option(fc.nat(9), { nil: undefined }) }),
    { maxLength: 30 },
  ),
  lazily: fc.boolean(),
  /** The iterable throws at each of these records before it yields all of them. */
  breaks: fc.array(fc.nat(30), { maxLength: 2 }),
  gaveUp: fc.constantFrom(false, false, false, true),
});

test('every append, repeated until it succeeds or finished by settle(), is in the log once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(append, { maxLength: 5 }), fc.array(fate, { maxLength: 60 }), async (plan, fates) => {
      const disk = new MemoryDisk();
      let next = 0;
      const open = (): NumberedClient => makeClient(flaky(memoryLog({ disk }), () => fates[next++] ?? 'well'));
      let producer = await open().producer('p');
      const expected: string[] = [];
      let appends = 0;
      for (const { records, lazily, breaks, gaveUp } of plan) {
        const texts = records.map(({ size }, i) => `${appends}.${i}.${'x'.repeat(size)}`);
        appends++;
        const given: readonly Letter[] = records.map(({ key, timestamp }, i) => ({ key, value: texts[i]!, ...(timestamp === undefined ? {} : { timestamp }) }));
        const left = [...breaks];
        async function* one(): AsyncGenerator<Letter> {
          const breakAt = left.shift();
          for (const [i, record] of given.entries()) {
            if (i === breakAt) throw new Error('the iterable broke');
            if (i % 7 === 3) await new Promise((resolve) => setImmediate(resolve));
            yield record;
          }
        }
        for (;;) {
          try {
            expect(await producer.append(letters, lazily ? one() : given)).toEqual({ records: given.length });
            expected.push(...texts);
            break;
          } catch (error) {
            if (!/nobody knows|iterable broke|is gone/.test(String(error))) throw error;
            if (String(error).includes('is gone')) producer = await open().producer(producer);
            if (!gaveUp) continue;
            for (;;) {
              try {
                const { records: kept } = await producer.settle();
                expected.push(...texts.slice(0, kept));
                break;
              } catch (error) {
                if (String(error).includes('is gone')) producer = await open().producer(producer);
              }
            }
            break;
          }
        }
      }
      const found: { readonly text: string; readonly place: string }[] = [];
      for await (const batch of makeClient(memoryLog({ disk })).read(letters, { from: 'earliest', until: 'end' }))
        found.push(...batch.map(({ key, value, partition }) => ({ text: value!, place: `${partition}/${String(key)}` })));
      const short = (text: string): string => text.slice(0, 12);
      expect(found.map(({ text }) => short(text)).toSorted()).toEqual(expected.map(short).toSorted());
      const order = new Map(expected.map((text, i) => [text, i]));
      for (const place of new Set(found.map((one) => one.place))) {
        const places = found.filter((one) => one.place === place).map(({ text }) => order.get(text)!);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }
    }),
    { numRuns: 150 },
  );
}, 60_000);
