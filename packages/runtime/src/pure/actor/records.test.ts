import { store, topic } from '@stoplog/core';
import { encodeKey, encodeValue, RecordPacker, openBatch, topicOf } from '@stoplog/core/kit';
import { MemoryDisk, MemoryPart } from '@stoplog/core/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { MemorySinks } from '../../testing/memory-sinks.ts';
import { SteppedActor, workOn } from '../../testing/stepped-actor.ts';
import { pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { planOf } from '../topology/plan.ts';
import { compile, recordWork, type Ground } from './compile-task.ts';
import { called } from './fixtures/calling-verb.ts';
import { LIMITS, memoryBounds } from './limits.ts';
import { NO_FOOTPRINTS } from './place.ts';

const face = topic('from', { key: z.string(), value: z.int(), partitions: 1 });
const last = store('last', { key: z.string(), value: z.string() });

/** An actor that is behind, or has caught up, takes one turn over records that set states of so many bytes in total. */
const turnOver = (records: number, bytes: number, isBehind = true): { readonly taken: number; isDue(hasCredit: boolean): boolean } => {
  const plan = planOf(pipeline('p', stream(face).fold(last, { init: () => '', update: () => 'x'.repeat(bytes / records) })));
  const ground: Ground = { plan, task: plan.tasks[0]!, partition: 0 };
  const packer = new RecordPacker('from', 1);
  for (let n = 0; n < records; n++) packer.add(encodeKey(topicOf(face), `k${n}`), encodeValue(topicOf(face), n), 0);
  const work = recordWork(ground, compile(ground, [new MemoryPart()]), {
    epoch: 1,
    incarnation: 'a',
    positions: [0n],
    timeStore: undefined,
    suspect: undefined,
    beacon: NO_FOOTPRINTS,
    // Each fetch of one byte is full.
    limits: isBehind ? { ...LIMITS, fetchBytes: 1 } : LIMITS,
    now: () => 0,
  });
  const [request] = work.ask();
  work.heard({
    type: 'fetched',
    ask: request!.ask,
    found: { from: 0n, next: BigInt(records), batches: packer.take().map(({ batch }) => openBatch(batch)) },
  } as never);
  work.take();
  return { taken: work.open, isDue: (hasCredit) => work.isDue(hasCredit) };
};

test('a commit is due when the states that were set have the bytes of a commit, as it is for outputs', () => {
  expect(turnOver(4, LIMITS.commitBytes / 2).isDue(true)).toBe(false);
  expect(turnOver(4, LIMITS.commitBytes).isDue(true)).toBe(true);
});
test('a turn ends when the states that were set have the bytes of a commit, and the commit waits for a credit', () => {
  const turn = turnOver(12, 3 * LIMITS.commitBytes, false);
  expect(turn.taken).toBe(4);
  expect(turn.isDue(false)).toBe(true);
});
test('an actor keeps less than half of its heap, and never so little that each record is a commit', () => {
  for (const [heapMb, stores] of [
    [2_048, 1],
    [64, 3],
    [16, 1],
  ] as const) {
    const { commitBytes, generationBytes } = memoryBounds(heapMb, stores);
    expect(3 * commitBytes + 2 * stores * generationBytes).toBeLessThan((heapMb * 2 ** 20) / 2);
  }
  expect(memoryBounds(2_048, 1).commitBytes).toBe(LIMITS.commitBytes);
  expect(memoryBounds(0.1, 100)).toEqual({ commitBytes: 65_536, generationBytes: 65_536 });
});

/** A suspect over records 0, 1, 2…, each of which is committed at once: its effects, and the positions of its commits. */
const suspectOver = (records: number, careful: { readonly pace: number; readonly records: number }, calls = false): readonly string[] => {
  const to = topic('to', { key: z.string(), value: z.int(), partitions: 1 });
  const flow = calls ? called(stream(face), 3, ({ value }) => value).to(to) : stream(face).to(to);
  const disk = new MemoryDisk({ holes: false, now: () => 0 });
  const plan = planOf(pipeline('p', flow));
  disk.ensure(plan.topics.map(({ shape }) => shape));
  const packer = new RecordPacker('from', 1);
  for (let n = 0; n < records; n++) packer.add(encodeKey(topicOf(face), 'k'), encodeValue(topicOf(face), n), 0);
  disk.commit({ group: '', epoch: 0, appends: packer.take(), stores: [], positions: [] });
  const incarnation = { epoch: 0, incarnation: '', suspect: undefined, careful, beacon: NO_FOOTPRINTS, limits: LIMITS, now: () => 0 };
  const { work } = workOn({ plan, task: plan.tasks[0]!, partition: 0 }, disk, incarnation, { sinks: new MemorySinks() });
  const seen: string[] = [];
  const actor = new SteppedActor(
    work,
    disk,
    ({ number, commit }) => {
      seen.push(`commit to ${commit.positions[0]!.to}`);
      actor.hear({ type: 'committed', number });
    },
    () => {},
    (step) => seen.push(step === undefined ? 'leave' : `enter ${step.records} at ${step.first.offset}`),
  );
  for (;;) {
    while (actor.isReady) actor.step();
    const [call] = actor.calls;
    if (call === undefined) return seen;
    actor.calls = actor.calls.slice(1);
    actor.hear({ type: 'returned', call: call.call, result: Number(call.run(new AbortController().signal)) });
  }
};

test('a suspect asks leave for each step, commits it before the next, and goes on as usual behind the suspect records', () => {
  expect(suspectOver(9, { pace: 2, records: 5 })).toEqual([
    ...['enter 2 at 0', 'commit to 2', 'leave', 'enter 2 at 2', 'commit to 4', 'leave', 'enter 1 at 4', 'commit to 5', 'leave'],
    'commit to 9',
  ]);
});
test('the calls of a suspect belong to its step: no other call is made before the step is committed', () => {
  const said = suspectOver(4, { pace: 1, records: 2 }, true);
  expect(said.slice(0, 6)).toEqual(['enter 1 at 0', 'commit to 1', 'leave', 'enter 1 at 1', 'commit to 2', 'leave']);
  expect(said.at(-1)).toBe('commit to 4');
});
