import { compactedTopic, type Millis, seconds, type Source, StoplogError, store, topic } from '@stoplog/core';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { source } from '../pure/pipeline/arrivals.ts';
import { pipeline } from '../pure/pipeline/pipeline.ts';
import { stream } from '../pure/pipeline/stream.ts';
import { table } from '../pure/pipeline/table.ts';
import { drive } from './drive.ts';

const numbers = { key: z.string(), value: z.int() };
const [from, other, to] = [topic('from', numbers), topic('other', numbers), topic('to', numbers)];
const totals = compactedTopic('totals', numbers);
const sums = store('sums', numbers);
const copy = pipeline('copy', stream(from).to(to));
const caught = (act: () => void): StoplogError => {
  try {
    act();
  } catch (error) {
    if (error instanceof StoplogError) return error;
  }
  throw new Error('nothing of ours was thrown');
};

describe('sending and reading', () => {
  test('records of a topic with arrival times have the time of the clock, whether sent or produced by a verb', () => {
    const [sent, made] = [topic('sent', { ...numbers, timestamps: 'arrival' }), topic('made', { ...numbers, timestamps: 'arrival' })];
    const d = drive(pipeline('stamps', stream(sent).to(to), stream(sent).to(made)), { now: 50 });
    d.send(sent, 'a', 1, 7);
    d.advance(seconds(1));
    d.batch(() => [8, 9].forEach((at) => d.send(sent, 'a', at, at)));
    for (const topic of [sent, to, made]) expect(d.records(topic).map(({ timestamp }) => timestamp)).toEqual([50, 1_050, 1_050]);
  });
  test('send parses as append does: it takes the input of the schema and stores the output', () => {
    const people = topic('people', { key: z.string().trim().brand<'Id'>(), value: z.object({ name: z.string(), age: z.int().default(7) }) });
    const d = drive(
      pipeline(
        'p',
        stream(people)
          .map(({ age }) => age)
          .to(topic('ages', { key: z.string(), value: z.int() })),
      ),
    );
    d.send(people, ' ada ', { name: 'Ada' });
    expect(d.read(people)).toEqual([{ key: 'ada', value: { name: 'Ada', age: 7 } }]);
    // @ts-expect-error the value has no name
    expect(() => d.send(people, 'bob', { age: 1 })).toThrow(expect.objectContaining({ code: 'STOPLOG_SCHEMA' }));
    expect(d.read(people)).toEqual([]);
  });

  test('a tombstone is accepted only by a compacted topic', () => {
    const d = drive(pipeline('p', table(totals).to(compactedTopic('copies', numbers)), stream(from).to(to)));
    d.send(totals, 'a', null);
    expect(d.read(totals)).toEqual([{ key: 'a', value: null }]);
    expect(() => d.send(from, 'a', null)).toThrow(/takes no null value/);
  });

  test('read resumes after the last read, and records begins at the start', () => {
    const d = drive(copy);
    d.send(from, 'a', 1);
    d.send(from, 'b', 2);
    expect(d.read(to)).toEqual([
      { key: 'a', value: 1 },
      { key: 'b', value: 2 },
    ]);
    d.send(from, 'a', 3);
    expect(d.read(to)).toEqual([{ key: 'a', value: 3 }]);
    expect(d.read(to)).toEqual([]);
    expect(d.records(to).map(({ value }) => value)).toEqual([1, 2, 3]);
  });

  test('records of one key are in one partition with offsets from 0; records without a key take turns', () => {
    const spread = topic('spread', { key: z.string().nullable(), value: z.int(), partitions: 3 });
    const d = drive(pipeline('p', stream(spread).to(topic('out', { key: z.string().nullable(), value: z.int(), partitions: 5 }))));
    for (let n = 0; n < 3; n++) d.send(spread, 'same', n);
    for (let n = 0; n < 3; n++) d.send(spread, null, n);
    const [keyed, keyless] = [d.records(spread).filter(({ key }) => key !== null), d.records(spread).filter(({ key }) => key === null)];
    expect(new Set(keyed.map(({ partition }) => partition)).size).toBe(1);
    expect(keyed.map(({ offset }) => offset).every((offset, i) => i === 0 || offset > keyed[i - 1]!.offset)).toBe(true);
    expect(new Set(keyless.map(({ partition }) => partition)).size).toBe(3);
  });

  test("the test's clock starts at 0, advances by hand, and stamps records that are sent without a timestamp", () => {
    const d = drive(copy);
    d.send(from, 'a', 1);
    d.advance(seconds(5));
    d.send(from, 'a', 2);
    d.send(from, 'a', 3, -1);
    expect(d.records(to).map(({ timestamp }) => timestamp)).toEqual([0, 5_000, -1]);
    expect([d.now, drive(copy, { now: 1_000 }).now]).toEqual([5_000, 1_000]);
    expect(() => d.advance(-1 as Millis)).toThrow(/advance\(seconds\(5\)\)/);
    expect(() => d.send(from, 'a', 1, 0.5)).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE' }));
  });

  test('an unknown topic or store is refused by its name', () => {
    const d = drive(copy);
    expect(() => d.send(other, 'a', 1)).toThrow(/'copy' neither reads nor writes topic 'other'/);
    expect(() => d.read(other)).toThrow(expect.objectContaining({ code: 'STOPLOG_TOPIC_UNKNOWN' }));
    expect(() => d.store(sums)).toThrow(/'copy' keeps no store 'sums'/);
    expect(() => d.send(topic('from', { ...numbers, partitions: 9 }), 'a', 1)).toThrow(expect.objectContaining({ code: 'STOPLOG_TOPIC_SHAPE' }));
  });

  test('a store is read over all its partitions, ranges in order of keys', () => {
    const byNumber = topic('by-number', { key: z.int(), value: z.int() });
    const counts = store('counts', { key: z.int(), value: z.int() });
    const d = drive(pipeline('p', stream(byNumber).count(counts)));
    for (const key of [10, -3, 2, 7, 2]) d.send(byNumber, key, 0);
    expect(d.store(counts).range()).toEqual([
      [-3, 1],
      [2, 2],
      [7, 1],
      [10, 1],
    ]);
    expect(d.store(counts).range({ gte: 2, lt: 10 })).toEqual([
      [2, 2],
      [7, 1],
    ]);
    expect([d.store(counts).get(2), d.store(counts).get(3)]).toEqual([2, undefined]);
  });
});

describe('a batch of sends', () => {
  test("a batch is processed by the lowest timestamp of a task's inputs, in the order of each topic's partition (2.33)", () => {
    const d = drive(pipeline('p', stream(from).merge(stream(other)).to(to)));
    d.batch(() => {
      d.send(from, 'a', 1, 10);
      d.send(from, 'a', 2, 5);
      d.send(from, 'a', 3, 30);
      d.send(other, 'a', 4, 8);
      d.send(other, 'a', 5, 20);
    });
    expect(d.read(to).map(({ value }) => value)).toEqual([4, 1, 2, 5, 3]);
  });

  test('a batch in which a record is refused sends nothing', () => {
    const d = drive(copy);
    expect(() =>
      d.batch(() => {
        d.send(from, 'a', 1);
        d.send(from, 'a', 1.5);
      }),
    ).toThrow(expect.objectContaining({ code: 'STOPLOG_SCHEMA' }));
    d.send(from, 'a', 2);
    expect(d.read(from)).toEqual([{ key: 'a', value: 2 }]);
  });

  test('a batch may contain another batch', () => {
    const d = drive(pipeline('p', stream(from).count(sums).to(totals)));
    d.batch(() => {
      d.send(from, 'a', 1);
      d.batch(() => d.send(from, 'a', 2));
    });
    expect(d.read(totals)).toEqual([{ key: 'a', value: 2 }]); // one commit
  });
});

describe('a handler that throws', () => {
  const failing = (fails: (n: number) => boolean): ReturnType<typeof drive> =>
    drive(
      pipeline(
        'p',
        stream(from)
          .process(sums, (n, state, { key }) => {
            state.set(key, (state.get(key) ?? 0) + n);
            return [n];
          })
          .map((n) => {
            if (fails(n)) throw new RangeError(`no ${n}`);
            return n;
          })
          .to(to),
      ),
    );

  test('the error names the record and has the thrown error as its cause', () => {
    const error = caught(() => failing(() => true).send(from, 'k', 1));
    const partition = failing(() => false);
    partition.send(from, 'k', 1);
    expect(error.code).toBe('STOPLOG_HANDLER');
    expect(error.facts).toEqual({ task: 0, topic: 'from', partition: partition.records(from)[0]!.partition, offset: 0n, key: 'k' });
    expect(error.cause).toEqual(new RangeError('no 1'));
    expect(error.message).toMatch(/^task 0 of 'p' failed at from\[\d\] offset 0, key 'k': no 1\. .*retries the record$/);
  });

  test('a failed step leaves nothing behind, and earlier steps stay', () => {
    let broken = true;
    const d = failing((n) => n === 3 && broken);
    d.send(from, 'k', 1);
    expect(() => d.batch(() => [2, 3].forEach((n) => d.send(from, 'k', n)))).toThrow(/no 3/);
    expect(d.store(sums).get('k')).toBe(1);
    expect(d.read(to).map(({ value }) => value)).toEqual([1]);
    broken = false;
    d.restart();
    expect(d.store(sums).get('k')).toBe(6);
    expect(d.read(to).map(({ value }) => value)).toEqual([2, 3]);
  });

  test('the next send retries the record, with the state before the failure', () => {
    let attempts = 0;
    const d = failing((n) => n === 1 && ++attempts < 3);
    expect(() => d.send(from, 'k', 1)).toThrow(/no 1/);
    expect(() => d.send(from, 'k', 2)).toThrow(/no 1/);
    expect(d.read(to)).toEqual([]);
    d.send(from, 'k', 4);
    expect(d.read(to).map(({ value }) => value)).toEqual([1, 2, 4]);
    expect(d.store(sums).get('k')).toBe(7);
  });

  test('a value that its topic cannot hold is a failure of the same kind', () => {
    const wrong = topic('wrong', { key: z.string(), value: z.unknown() });
    const streamed = caught(() =>
      drive(
        pipeline(
          'p',
          stream(from)
            .map(() => () => {})
            .to(wrong),
        ),
      ).send(from, 'k', 1),
    );
    expect(streamed).toMatchObject({ code: 'STOPLOG_HANDLER', facts: { task: 0, topic: 'from', key: 'k' }, cause: { code: 'STOPLOG_SCHEMA' } });
    const stored = caught(() => drive(pipeline('p', stream(from).fold(sums, { init: () => 0, update: () => NaN }))).send(from, 'k', 1));
    expect(stored).toMatchObject({ code: 'STOPLOG_HANDLER', facts: { task: 0, topic: 'from', key: 'k' }, cause: { code: 'STOPLOG_SCHEMA' } });
  });

  test('a verb cannot use the driver it runs in', () => {
    const d: ReturnType<typeof drive> = drive(
      pipeline(
        'p',
        stream(from)
          .map((n) => (d.send(from, 'again', n), n))
          .to(to),
      ),
    );
    expect(() => d.send(from, 'k', 1)).toThrow(/from inside a verb/);
  });
});

describe('a crash', () => {
  test("a crash between a store's write and its output neither loses nor suppresses the change (O18)", () => {
    let crashes = 1;
    const changes = topic('changes', numbers);
    const d = drive(
      pipeline(
        'p',
        table(totals)
          .changes()
          .filter(({ after }) => after !== undefined)
          .map(({ after }) => {
            if (crashes-- > 0) throw new Error('the power went');
            return after ?? 0;
          })
          .to(changes),
      ),
    );
    expect(() => d.send(totals, '1', 1, 0)).toThrow(/the power went/);
    expect(d.read(changes)).toEqual([]);
    d.restart();
    d.send(totals, '1', 2, 0);
    expect(d.read(changes)).toEqual([
      { key: '1', value: 1 },
      { key: '1', value: 2 },
    ]);
  });

  test('a crash before or after any record loses and repeats nothing (2.35)', () => {
    const words = ['a', 'b', 'a', 'c', 'b', 'a'];
    const byWord = topic('by-word', { key: z.string(), value: z.int(), partitions: 2 });
    for (let at = 0; at <= words.length * 2; at++) {
      let calls = 0;
      const d = drive(
        pipeline(
          'p',
          stream(from)
            .rekey((_, { key }) => key)
            .through(byWord)
            .fold(sums, {
              init: () => 0,
              update: (sum, n) => {
                if (calls++ === at) throw new Error('crash');
                return sum + n;
              },
            })
            .to(totals),
        ),
      );
      for (const [i, word] of words.entries()) {
        try {
          d.send(from, word, i + 1);
        } catch {
          d.restart();
        }
        if (i % 2 === 0) d.restart();
      }
      expect(d.store(sums).range()).toEqual([
        ['a', 10],
        ['b', 7],
        ['c', 4],
      ]);
      expect(d.read(totals).map(({ key, value }) => `${key}${value}`)).toEqual(['a1', 'b2', 'a4', 'c4', 'b7', 'a10']);
    }
  });
});

describe('records without output are finished all the same (O20)', () => {
  test('a record that a filter drops is not read again', () => {
    const keep = vi.fn((n: number) => n % 100 === 0);
    const d = drive(pipeline('p', stream(from).filter(keep).to(to)));
    d.batch(() => Array.from({ length: 1_000 }, (_, n) => d.send(from, `k${n}`, n)));
    expect(keep).toHaveBeenCalledTimes(1_000);
    expect(d.read(to)).toHaveLength(10);
    d.restart();
    expect(keep).toHaveBeenCalledTimes(1_000);
    d.send(from, 'k', 1);
    expect(keep).toHaveBeenCalledTimes(1_001);
  });

  test('tombstones, records without a match and records without output of a verb are not read again', () => {
    const seen: string[] = [];
    const see = (what: string): never[] => {
      seen.push(what);
      return [];
    };
    const d = drive(
      pipeline(
        'p',
        table(totals)
          .changes()
          .flatMap(({ after }) => see(`table ${after}`))
          .to(topic('nothing', numbers)),
        stream(from)
          .process(sums, (n) => see(`stream ${n}`))
          .to(to),
        stream(other)
          .filter((n) => see(`other ${n}`).length > 0)
          .join(table(totals), (n) => n)
          .to(topic('no-match', numbers)),
      ),
    );
    const all = ['table 1', 'table undefined', 'stream 1', 'other 1'];
    d.send(totals, 'a', 1);
    d.send(totals, 'a', null);
    d.send(from, 'a', 1);
    d.send(other, 'a', 1);
    expect(seen).toEqual(all);
    d.restart();
    expect(seen).toEqual(all);
  });
});

describe('a source', () => {
  test('writes its arrivals to a topic, under their own keys', () => {
    const calls: Source<string, number> = { kind: 'source', name: 'calls', open: () => Promise.reject(new Error('a driven source is not opened')) };
    const minutes = topic('minutes', { key: z.string(), value: z.int(), partitions: 4 });
    const d = drive(
      pipeline(
        'calls',
        source(calls)
          .filter((seconds) => seconds >= 60)
          .map((seconds) => Math.floor(seconds / 60))
          .to(minutes),
      ),
    );
    d.arrive(calls, 'ann', 130, 7);
    d.arrive(calls, 'ann', 30);
    d.arrive(calls, 'ben', 60, 9);
    expect(d.records(minutes)).toMatchObject([
      { key: 'ann', value: 2, timestamp: 7 },
      { key: 'ben', value: 1, timestamp: 9 },
    ]);
  });
});
