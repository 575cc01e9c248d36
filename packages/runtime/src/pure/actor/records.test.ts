import { store, topic } from '@stoplog/core';
import { encodeKey, encodeValue, RecordPacker, openBatch, topicOf } from '@stoplog/core/kit';
import { MemoryPart } from '@stoplog/core/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { planOf } from '../topology/plan.ts';
import { compile, recordWork, type Ground } from './compile-task.ts';
import { LIMITS } from './limits.ts';

const face = topic('from', { key: z.string(), value: z.int(), partitions: 1 });
const last = store('last', { key: z.string(), value: z.string() });

/** Whether a commit is due for an actor that is behind, after it has set states of so many bytes in total. */
const isDueAfter = (records: number, bytes: number): boolean => {
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
    beacon: { at: () => {}, enter: () => {}, leave: () => {} },
    // Every fetch is full, so the actor is behind.
    limits: { ...LIMITS, fetchBytes: 1 },
    now: () => 0,
  });
  const [request] = work.ask();
  work.heard({
    type: 'fetched',
    ask: request!.ask,
    found: { from: 0n, next: BigInt(records), batches: packer.take().map(({ batch }) => openBatch(batch)) },
  } as never);
  work.take();
  return work.isDue(true);
};

test('a commit is due when the states that were set have the bytes of a commit, as it is for outputs', () => {
  expect(isDueAfter(4, LIMITS.commitBytes / 2)).toBe(false);
  expect(isDueAfter(4, LIMITS.commitBytes)).toBe(true);
});
