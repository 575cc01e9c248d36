import { seconds, StoplogError, store, topic } from '@stoplog/core';
import { encodeKey, encodeValue, LazyRecord, openBatch, RecordPacker, topicOf } from '@stoplog/core/kit';
import { MemoryDisk } from '@stoplog/core/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Chance } from '../../testing/chance.ts';
import { MemorySinks } from '../../testing/memory-sinks.ts';
import { seeds } from '../../testing/seeds.ts';
import { SteppedActor, workOn, type CommitEffect } from '../../testing/stepped-actor.ts';
import type { AnyRecord } from '../nodes/record.ts';
import { pipeline, type Pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { planOf } from '../topology/plan.ts';
import { called } from './fixtures/calling-verb.ts';
import { LIMITS } from './limits.ts';
import { NO_FOOTPRINTS } from './place.ts';
import type { Place } from './place.ts';

const numbers = { key: z.string(), value: z.int(), partitions: 1 };
const [from, other, to] = [topic('from', numbers), topic('other', numbers), topic('to', numbers)];
const sums = store('sums', { key: z.string(), value: z.int() });
const never = new AbortController().signal;

/** A log with an actor that makes calls: the test answers calls and commits, in whichever order it likes. */
class Rig {
  readonly disk = new MemoryDisk({ holes: false, now: () => 0 });
  readonly commits: CommitEffect[] = [];
  actor: SteppedActor;
  readonly #pipeline: Pipeline;

  constructor(flow: Pipeline) {
    this.#pipeline = flow;
    this.disk.ensure(planOf(flow).topics.map(({ shape }) => shape));
    this.actor = this.restart();
  }
  /** A new incarnation, from the last commit. What was sent and not answered is lost. */
  restart(suspect?: Place): SteppedActor {
    const plan = planOf(this.#pipeline);
    const incarnation = { epoch: 0, incarnation: '', suspect, beacon: NO_FOOTPRINTS, limits: LIMITS, now: () => 0 };
    const { work } = workOn({ plan, task: plan.tasks[0]!, partition: 0 }, this.disk, incarnation, { sinks: new MemorySinks() });
    this.commits.length = 0;
    this.actor = new SteppedActor(
      work,
      this.disk,
      (commit) => this.commits.push(commit),
      () => {},
    );
    return this.actor;
  }
  append(values: readonly number[], face = from, at = 0): void {
    const kept = topicOf(face);
    const packer = new RecordPacker(kept.name, 1);
    for (const value of values) packer.add(encodeKey(kept, 'k'), encodeValue(kept, value), at);
    this.disk.commit({ group: '', epoch: 0, appends: packer.take(), stores: [], positions: [] });
  }
  run(): void {
    while (this.actor.isReady) this.actor.step();
  }
  /** The values whose calls are in flight. */
  get inFlight(): readonly unknown[] {
    return this.actor.calls.map(({ run }) => (run(never) as AnyRecord).value);
  }
  answer(value: number, answer: { readonly result: unknown } | { readonly error: unknown } = { result: value * 10 }): void {
    const effect = this.actor.calls.find(({ run }) => (run(never) as AnyRecord).value === value)!;
    this.actor.calls = this.actor.calls.filter((one) => one !== effect);
    this.actor.hear('error' in answer ? { type: 'threw', call: effect.call, error: answer.error } : { type: 'returned', call: effect.call, ...answer });
    this.run();
  }
  commitOne(): void {
    const { commit, number } = this.commits.shift()!;
    this.disk.commit({ ...commit, incarnation: undefined });
    this.actor.hear({ type: 'committed', number });
    this.run();
  }
  commitAll(): void {
    while (this.commits.length > 0) this.commitOne();
  }
  get position(): bigint {
    return this.disk.position('calls', 'from', 0);
  }
  get written(): readonly unknown[] {
    const kept = topicOf(to);
    return this.disk.topic('to').partitions[0]!.batches.flatMap(({ bytes }) => valuesIn(bytes, kept));
  }
}
const valuesIn = (bytes: Uint8Array, kept: ReturnType<typeof topicOf>): readonly unknown[] => {
  const values: unknown[] = [];
  for (const view = openBatch(bytes); view.next();) values.push(new LazyRecord(view, kept.keySerde, kept.valueSerde, kept.name).value);
  return values;
};
const calls = (concurrency: number): Pipeline => pipeline('calls', called(stream(from), concurrency).to(to));
const rig = (values: readonly number[], concurrency = 4): Rig => {
  const made = new Rig(calls(concurrency));
  made.append(values);
  made.run();
  return made;
};

describe('calls in flight', () => {
  test('an actor makes as many calls as the verb allows, and the next one when the first result has left', () => {
    const r = rig([1, 2, 3, 4, 5], 2);
    expect(r.inFlight).toEqual([1, 2]);
    r.answer(2);
    expect(r.inFlight).toEqual([1]);
    r.answer(1);
    expect(r.inFlight).toEqual([3, 4]);
  });
  test('results leave in the order of their records, whichever comes first', () => {
    const r = rig([1, 2, 3]);
    for (const value of [3, 1, 2]) r.answer(value);
    r.commitAll();
    expect(r.written).toEqual([10, 20, 30]);
  });
  test('the position stays at the lowest unfinished record, and a slow call holds up no other call', () => {
    const r = rig([1, 2, 3, 4, 5, 6]);
    r.answer(1);
    r.commitAll();
    expect(r.position).toBe(1n);
    for (const value of [3, 4, 5]) r.answer(value);
    expect(r.commits).toEqual([]);
    expect([r.position, r.inFlight]).toEqual([1n, [2]]);
    r.answer(2);
    r.commitAll();
    expect([r.position, r.inFlight]).toEqual([5n, [6]]);
  });
  test('an actor does not rest until the results of its calls are committed', () => {
    const r = rig([1]);
    expect(r.actor.state.isAtRest).toBe(false);
    r.answer(1);
    expect(r.actor.state.isAtRest).toBe(false);
    r.commitAll();
    expect(r.actor.state.isAtRest).toBe(true);
  });
  test('an actor that waits for results calls records that are appended meanwhile', () => {
    const r = rig([1]);
    r.append([2, 3]);
    r.run();
    expect(r.inFlight).toEqual([1, 2, 3]);
    for (const value of [2, 1, 3]) r.answer(value);
    r.commitAll();
    expect(r.written).toEqual([10, 20, 30]);
  });
  test('a record of another input that was read behind a call is emitted behind its result', () => {
    const r = new Rig(pipeline('calls', called(stream(from), 4).merge(stream(other)).to(to)));
    r.append([1], from, 10);
    r.append([2], other, 20);
    r.run();
    expect(r.commits).toEqual([]);
    r.answer(1);
    r.commitAll();
    expect(r.written).toEqual([10, 2]);
  });
  test('a store behind the calls gets each result once and in order', () => {
    const add = { init: () => 0, update: (sum: number, value: number) => sum * 2 + value };
    const r = new Rig(
      pipeline(
        'calls',
        called(stream(from), 4)
          .fold(sums, add)
          .changes()
          .map(({ after }) => after ?? 0)
          .to(to),
      ),
    );
    r.append([1, 2, 3]);
    r.run();
    for (const value of [2, 3, 1]) r.answer(value, { result: value });
    r.commitAll();
    expect(r.written).toEqual([1, 4, 11]);
  });
});

describe('a call that fails', () => {
  test('a failed call ends the actor with an error that names its record, and no record behind it is lost', () => {
    const r = rig([1, 2, 3, 4]);
    r.answer(1);
    r.commitAll();
    r.answer(3, { error: new Error('no answer') });
    expect(r.actor.error).toMatchObject({ code: 'STOPLOG_HANDLER', facts: { topic: 'from', offset: 2n, key: 'k', among: 1 } });
    expect([r.actor.hasEnded, r.inFlight]).toEqual([true, []]);
    r.restart();
    r.run();
    expect(r.inFlight).toEqual([2, 3, 4]);
    for (const value of [4, 3, 2]) r.answer(value);
    r.commitAll();
    expect(r.written).toEqual([10, 20, 30, 40]);
  });
  test('a failed call is made again alone, when everything before its record is committed', () => {
    const r = rig([1, 2, 3, 4]);
    r.restart({ topic: 'from', partition: 0, offset: 2n });
    r.run();
    expect(r.inFlight).toEqual([1, 2]);
    r.answer(2);
    r.answer(1);
    expect(r.inFlight).toEqual([]);
    r.commitAll();
    expect([r.position, r.inFlight]).toEqual([2n, [3]]);
    r.answer(3);
    expect(r.inFlight).toEqual([]);
    r.commitAll();
    expect([r.position, r.inFlight]).toEqual([3n, [4]]);
  });
  test('an actor whose call failed ends when its commits in flight are answered', () => {
    const r = rig([1, 2]);
    r.answer(1);
    r.answer(2, { error: new StoplogError('STOPLOG_USAGE', {}, 'no') });
    expect(r.actor.hasEnded).toBe(false);
    r.commitAll();
    expect([r.actor.hasEnded, r.position]).toEqual([true, 1n]);
  });
});

describe('a drain', () => {
  test('a drain waits for the calls in flight, makes no more, and commits their results', () => {
    const r = rig([1, 2, 3, 4], 2);
    r.actor.hear({ type: 'drain' });
    expect(r.actor.deadlineMs).toBe(seconds(10));
    r.answer(2);
    r.answer(1);
    expect(r.inFlight).toEqual([]);
    expect(r.actor.hasEnded).toBe(false);
    r.commitAll();
    expect([r.actor.hasEnded, r.actor.error, r.position]).toEqual([true, undefined, 2n]);
  });
  test('a drain abandons the calls that take too long, and the position stays before their records', () => {
    const r = rig([1, 2, 3, 4]);
    r.actor.hear({ type: 'drain' });
    r.answer(1);
    r.answer(3);
    const late = r.actor.calls[0]!.call;
    r.actor.hear({ type: 'overdue' });
    expect(r.inFlight).toEqual([]);
    r.commitAll();
    expect([r.actor.hasEnded, r.actor.error, r.position]).toEqual([true, undefined, 1n]);
    r.actor.hear({ type: 'returned', call: late, result: 0 });
    expect(r.commits).toEqual([]);
    r.restart();
    r.run();
    expect(r.inFlight).toEqual([2, 3, 4]);
  });
  test('a drain has no deadline when no call is in flight', () => {
    const r = rig([]);
    r.actor.hear({ type: 'drain' });
    expect([r.actor.hasEnded, r.actor.deadlineMs]).toEqual([true, undefined]);
  });
});

test('an abandoned actor cancels its calls, and a result that comes later changes nothing', () => {
  const r = rig([1, 2]);
  const { call } = r.actor.calls[0]!;
  r.actor.hear({ type: 'abandon' });
  expect([r.actor.hasEnded, r.inFlight]).toEqual([true, []]);
  r.actor.hear({ type: 'returned', call, result: 10 });
  expect([r.commits, r.position]).toEqual([[], 0n]);
});

test('each record is written once and in order, in whichever order results, commits, failures and drains come', () => {
  for (const seed of seeds(300)) {
    const chance = new Chance(seed);
    const values = Array.from({ length: chance.between(1, 12) }, (_, n) => n + 1);
    const r = rig(values, chance.between(1, 5));
    let failures = 3;
    for (let moves = 0; r.position < BigInt(values.length); moves++) {
      expect(moves, `seed ${seed}: the actor goes on`).toBeLessThan(1_000);
      // All that is committed is written, and nothing else.
      expect(r.written, `seed ${seed}`).toEqual(values.slice(0, Number(r.position)).map((value) => value * 10));
      const able = r.inFlight as readonly number[];
      if (r.actor.hasEnded) {
        const offset = (r.actor.error as StoplogError | undefined)?.facts['offset'] as bigint | undefined;
        r.restart(offset === undefined ? undefined : { topic: 'from', partition: 0, offset });
        r.run();
      } else if (r.commits.length > 0 && (able.length === 0 || chance.is(0.4))) r.commitOne();
      else if (failures > 0 && chance.is(0.1) && able.length > 0) r.answer(chance.pick(able), { error: new Error(`failure ${failures--}`) });
      else if (failures > 0 && chance.is(0.05)) {
        failures--;
        r.actor.hear(chance.pick([{ type: 'drain' }, { type: 'overdue' }, { type: 'abandon' }] as const));
        r.run();
      } else if (able.length > 0) r.answer(chance.pick(able));
    }
    expect(r.written, `seed ${seed}`).toEqual(values.map((value) => value * 10));
  }
});
