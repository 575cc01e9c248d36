import { minutes, seconds, store, topic } from '@stoplog/core';
import { MemoryPart } from '@stoplog/core/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drive } from '../../testing/drive.ts';
import { seeds } from '../../testing/seeds.ts';
import { simulate } from '../../testing/simulate.ts';
import { pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { planOf } from '../topology/plan.ts';
import { delayed, reminded } from './fixtures/timed-verbs.ts';
import { StreamTime, streamTimePart } from './stream-time.ts';

const numbers = { key: z.string(), value: z.int(), partitions: 1 };
const [from, other, to] = [topic('from', numbers), topic('other', numbers), topic('to', numbers)];
const kept = store('kept', { key: z.string(), value: z.int() });
const late = pipeline('late', delayed(stream(from), kept, 10).to(to));
const part = streamTimePart(planOf(late), planOf(late).tasks[0]!, 0);

describe('stream time', () => {
  test('is the largest timestamp so far: a record that is late does not move it back', () => {
    const time = new StreamTime(part, new MemoryPart());
    expect(time.time).toBe(-Infinity);
    for (const at of [-5, 7, 3]) time.reach(at);
    expect(time.time).toBe(7);
  });
  test('is committed when it grew, and is what the next incarnation starts with', () => {
    const below = new MemoryPart();
    const time = new StreamTime(part, below);
    expect(time.takeWrites().keys).toEqual([]);
    time.reach(-1_700_000_000_123);
    below.write(time.takeWrites());
    expect(time.takeWrites().keys).toEqual([]);
    expect(new StreamTime(part, below).time).toBe(-1_700_000_000_123);
  });
  test('is stored under a topic of the task, whichever number the task has and whichever input comes first', () => {
    const both = (first: typeof from, second: typeof from): string => {
      const plan = planOf(pipeline('late', delayed(stream(first).merge(stream(second)), kept, 10).to(to)));
      return streamTimePart(plan, plan.tasks[0]!, 0).store;
    };
    expect(part.store).toBe('time:from@late');
    expect(both(other, from)).toBe(both(from, other));
  });
});

describe('a verb that asks for stream time', () => {
  test('is told of it at the record that moves it, and what it emits is in the same commit', () => {
    const d = drive(late);
    d.send(from, 'a', 1, 100);
    d.send(from, 'b', 2, 109);
    expect(d.read(to)).toEqual([]);
    d.send(from, 'c', 3, 110);
    expect(d.read(to)).toEqual([{ key: 'a', value: 1 }]);
    d.batch(() => {
      d.send(from, 'd', 4, 119);
      d.send(from, 'e', 5, 130);
    });
    expect(d.read(to).map(({ key }) => key)).toEqual(['b', 'c', 'd']);
  });
  test('finds the stream time of the last commit after a restart: a record that was late is late', () => {
    const d = drive(late);
    d.send(from, 'a', 1, 100);
    d.restart();
    d.send(from, 'late', 2, 80);
    // Not even told: the time did not grow.
    expect(d.read(to)).toEqual([]);
    d.send(from, 'b', 3, 101);
    expect(d.read(to).map(({ key }) => key)).toEqual(['late']);
  });
  test('sees the time of the record in progress, and after a restart that of the commit', () => {
    const seen: number[] = [];
    const d = drive(pipeline('seen', delayed(stream(from), kept, 10, (time) => seen.push(time)).to(to)));
    d.send(from, 'a', 1, 100);
    d.restart();
    d.send(from, 'b', 2, 80);
    expect(seen).toEqual([100, 100]);
  });
  test('has the outcome of drive whatever happens: turns, commits, crashes and power cuts do not move the time', () => {
    const wide = { ...numbers, partitions: 2 };
    const [many, out] = [topic('many', wide), topic('out', wide)];
    const spread = pipeline('spread', delayed(stream(many), kept, 5).to(out));
    const records = Array.from({ length: 30 }, (_, n) => ({ key: `k${n % 7}`, value: n, timestamp: (n * 7) % 40 }));
    for (const seed of seeds(60)) expect(simulate(spread, { seed, inputs: [{ topic: many, records }] }).read(out).length).toBeGreaterThan(10);
  });
});

describe('a verb that asks for the wall clock', () => {
  const remind = pipeline('remind', reminded(stream(from), kept, 1_000).to(to));
  test('is woken at the times it asked for, one after the other, when the clock of drive passes them', () => {
    const d = drive(remind);
    d.send(from, 'a', 1, 0);
    d.send(from, 'b', 2, 500);
    d.advance(seconds(1));
    expect(d.read(to)).toEqual([{ key: 'a', value: 1 }]);
    d.advance(minutes(1));
    expect(d.read(to)).toEqual([{ key: 'b', value: 2 }]);
    expect(d.now).toBe(61_000);
  });
  test('is woken after a restart for what an earlier incarnation kept', () => {
    const d = drive(remind);
    d.send(from, 'a', 1, 0);
    d.restart();
    d.advance(seconds(2));
    expect(d.read(to)).toEqual([{ key: 'a', value: 1 }]);
    d.restart();
    d.advance(seconds(2));
    expect(d.read(to)).toEqual([]);
  });
  test('reminds of each record at most once whatever happens', () => {
    let reminders = 0;
    for (const seed of seeds(60)) {
      const records = Array.from({ length: 20 }, (_, n) => ({ key: `k${n}`, value: n, timestamp: n }));
      const keys = simulate(remind, { seed, inputs: [{ topic: from, records }], orderMatters: true })
        .read(to)
        .map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      reminders += keys.length;
    }
    expect(reminders).toBeGreaterThan(100);
  });
});
