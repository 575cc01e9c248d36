/** What the watchdog sees while functions of a pipeline run that are not called by a record. */
import { store, topic } from '@stoplog/core';
import { encodeKey, encodeValue, RecordPacker, topicOf } from '@stoplog/core/kit';
import { MemoryDisk } from '@stoplog/core/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { called } from '../../pure/actor/fixtures/calling-verb.ts';
import { reminded } from '../../pure/actor/fixtures/timed-verbs.ts';
import { LIMITS } from '../../pure/actor/limits.ts';
import type { Activity } from '../../pure/actor/place.ts';
import { pipeline, type Pipeline } from '../../pure/pipeline/pipeline.ts';
import { stream } from '../../pure/pipeline/stream.ts';
import { planOf } from '../../pure/topology/plan.ts';
import { MemorySinks } from '../../testing/memory-sinks.ts';
import { SteppedActor, workOn } from '../../testing/stepped-actor.ts';
import { Beacon, makeBeacon } from './beacon.ts';

const numbers = { key: z.string(), value: z.int(), partitions: 1 };
const [from, to] = [topic('from', numbers), topic('to', numbers)];
const kept = store('kept', { key: z.string(), value: z.int() });
const last = store('last', { key: z.string(), value: z.unknown(), writes: 'trusted' });

/** An actor over a log that holds 1, 2 and 3, with a beacon that the test reads as the main thread would. */
const watched = (flow: Pipeline, ticks: () => void = () => {}): { readonly actor: SteppedActor; readonly sees: () => Activity | undefined } => {
  const plan = planOf(flow);
  const disk = new MemoryDisk({ holes: false, now: () => 0 });
  disk.ensure(plan.topics.map(({ shape }) => shape));
  const packer = new RecordPacker('from', 1);
  for (const value of [1, 2, 3]) packer.add(encodeKey(topicOf(from), 'k'), encodeValue(topicOf(from), value), 0);
  disk.commit({ group: '', epoch: 0, appends: packer.take(), stores: [], positions: [] });
  const memory = makeBeacon();
  const incarnation = { epoch: 0, incarnation: '', suspect: undefined, beacon: new Beacon(memory), limits: LIMITS, now: () => 0, ticks };
  const { work } = workOn({ plan, task: plan.tasks[0]!, partition: 0 }, disk, incarnation, { sinks: new MemorySinks() });
  const actor = new SteppedActor(
    work,
    disk,
    ({ number }) => actor.hear({ type: 'committed', number }),
    () => {},
  );
  return { actor, sees: () => new Beacon(memory).activity(['from'], 0) };
};
const run = (actor: SteppedActor): void => {
  while (actor.isReady) actor.step();
};

test('the watchdog sees a tick', () => {
  const seen: (Activity | undefined)[] = [];
  const { actor, sees } = watched(pipeline('p', reminded(stream(from), kept, 1_000).to(to)), () => seen.push(sees()));
  run(actor);
  expect([seen, sees()]).toEqual([[], undefined]);
  actor.tick(5_000);
  expect([seen, sees()]).toEqual([[{ type: 'tick' }], undefined]);
});

test('the watchdog sees the synchronous part of a call, at its record, and not the wait for its result', async () => {
  const seen: (Activity | undefined)[] = [];
  const flow = called(stream(from), 2, () => {
    seen.push(sees());
    return new Promise(() => {});
  });
  const { actor, sees } = watched(pipeline('p', flow.to(to)));
  run(actor);
  for (const call of [...actor.calls]) void call.run(new AbortController().signal);
  expect(seen).toEqual([0n, 1n].map((offset) => ({ type: 'record', place: { topic: 'from', partition: 0, offset } })));
  expect(sees()).toBeUndefined();
});

test('the watchdog sees the encoding of a commit, with the number of its records', () => {
  const seen: (Activity | undefined)[] = [];
  const value = {
    get read() {
      seen.push(sees());
      return 1;
    },
  };
  const { actor, sees } = watched(pipeline('p', stream(from).fold(last, { init: () => null, update: () => value })));
  run(actor);
  expect(seen.at(-1)).toEqual({ type: 'commit', place: { topic: 'from', partition: 0, offset: 2n }, among: 3 });
  expect(sees()).toBeUndefined();
});
