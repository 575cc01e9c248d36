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
  test('the stream time is the largest timestamp so far: a record that is late does not move it back', () => {
    const time = new StreamTime(part, new MemoryPart());
    expect(time.time).toBe(-Infinity);
    for (const at of [-5, 7, 3]) time.reach(at);
    expect(time.time).toBe(7);
  });
  test('the stream time is committed when it grew, and the next incarnation starts with it', () => {
    const below = new MemoryPart();
    const time = new StreamTime(part, below);
    expect(time.takeWrites().keys).toEqual([]);
    time.reach(-1_700_000_000_123);
    below.write(time.takeWrites());
    expect(time.takeWrites().keys).toEqual([]);
    expect(new StreamTime(part, below).time).toBe(-1_700_000_000_123);
  });
  test('the stream time is stored under a topic of the task, whatever the number of the task and the order of its inputs', () => {
    const both = (first: typeof from, second: typeof from): string => {
      const plan = planOf(pipeline('late', delayed(stream(first).merge(stream(second)), kept, 10).to(to)));
      return streamTimePart(plan, plan.tasks[0]!, 0).store;
    };
    expect(part.store).toBe('time:from@late');
    expect(both(other, from)).toBe(both(from, other));
  });
});

describe('a verb that asks for stream time', () => {
  test('a verb is called at the record that moves stream time, and its outputs are in the same commit', () => {
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
  test('a verb finds the stream time of the last commit after a restart: a record that was late is late', () => {
    const d = drive(late);
    d.send(from, 'a', 1, 100);
    d.restart();
    d.send(from, 'late', 2, 80);
    // The verb is not called: the time did not grow.
    expect(d.read(to)).toEqual([]);
    d.send(from, 'b', 3, 101);
    expect(d.read(to).map(({ key }) => key)).toEqual(['late']);
  });
  test('a verb sees the time of the record in progress, and after a restart the time of the commit', () => {
    const seen: number[] = [];
    const d = drive(pipeline('seen', delayed(stream(from), kept, 10, (time) => seen.push(time)).to(to)));
    d.send(from, 'a', 1, 100);
    d.restart();
    d.send(from, 'b', 2, 80);
    expect(seen).toEqual([100, 100]);
  });
  test('a simulation has the outcome of drive: turns, commits, crashes and power cuts do not move the time', () => {
    const wide = { ...numbers, partitions: 2 };
    const [many, out] = [topic('many', wide), topic('out', wide)];
    const spread = pipeline('spread', delayed(stream(many), kept, 5).to(out));
    const records = Array.from({ length: 30 }, (_, n) => ({ key: `k${n % 7}`, value: n, timestamp: (n * 7) % 40 }));
    for (const seed of seeds(60)) expect(simulate(spread, { seed, inputs: [{ topic: many, records }] }).read(out).length).toBeGreaterThan(10);
  });
});

describe('a verb that asks for the wall clock', () => {
  const remind = pipeline('remind', reminded(stream(from), kept, 1_000).to(to));
  test('a verb is woken at each time it asked for, when the clock of drive passes that time', () => {
    const d = drive(remind);
    d.send(from, 'a', 1, 0);
    d.send(from, 'b', 2, 500);
    d.advance(seconds(1));
    expect(d.read(to)).toEqual([{ key: 'a', value: 1 }]);
    d.advance(minutes(1));
    expect(d.read(to)).toEqual([{ key: 'b', value: 2 }]);
    expect(d.now).toBe(61_000);
  });
  test('a verb is woken after a restart for an entry that an earlier incarnation kept', () => {
    const d = drive(remind);
    d.send(from, 'a', 1, 0);
    d.restart();
    d.advance(seconds(2));
    expect(d.read(to)).toEqual([{ key: 'a', value: 1 }]);
    d.restart();
    d.advance(seconds(2));
    expect(d.read(to)).toEqual([]);
  });
  test('a verb reminds of each record at most once, whatever crashes', () => {
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
