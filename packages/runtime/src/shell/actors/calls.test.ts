import { topic } from '@stoplog/core';
import type { Log } from '@stoplog/core/port';
import { LazyRecord, makeClient, topicOf } from '@stoplog/core/kit';
import { memoryLog } from '@stoplog/core/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { compile, recordWork } from '../../pure/actor/compile-task.ts';
import { called } from '../../pure/actor/fixtures/calling-verb.ts';
import { LIMITS } from '../../pure/actor/limits.ts';
import { NO_FOOTPRINTS } from '../../pure/actor/place.ts';
import { unitsOf } from '../../pure/host/units.ts';
import type { AnyRecord } from '../../pure/nodes/record.ts';
import { pipeline } from '../../pure/pipeline/pipeline.ts';
import { stream } from '../../pure/pipeline/stream.ts';
import { planOf } from '../../pure/topology/plan.ts';
import { Performer } from './performer.ts';

const numbers = { key: z.string(), value: z.int(), partitions: 1 };
const [from, to] = [topic('from', numbers), topic('to', numbers)];
const never = new AbortController().signal;

/** An actor over a log that holds 1, 2 and 3. */
const actorOf = async (call: (record: AnyRecord, signal: AbortSignal) => unknown): Promise<{ readonly log: Log; readonly actor: Performer }> => {
  const plan = planOf(pipeline('calls', called(stream(from), 3, call).to(to)));
  const ground = { plan, task: plan.tasks[0]!, partition: 0 };
  const log = memoryLog({ holes: false });
  await log.ensure(plan.topics.map(({ shape }) => shape));
  await log
    .join('calls', { units: unitsOf(plan).map(({ places }) => places) }, never)
    [Symbol.asyncIterator]()
    .next();
  const records = [1, 2, 3].map((value) => ({ key: 'k', value }));
  await makeClient(log).append(from, records);
  const incarnation = {
    epoch: 1,
    incarnation: 'one',
    positions: [0n],
    timeStore: undefined,
    suspect: undefined,
    beacon: NO_FOOTPRINTS,
    limits: LIMITS,
    now: () => 0,
  };
  const outside = { reset: 'earliest' as const, now: () => 0, wallClock: () => 0, turn: () => {}, takeDropped: () => [], jumped: () => {} };
  const actor: Performer = new Performer({
    ...outside,
    work: recordWork(ground, compile(ground, []), incarnation),
    log,
    idle: () => actor.drain(),
  });
  return { log, actor };
};
const written = async (log: Log): Promise<readonly unknown[]> => {
  const { batches } = await log.fetch({ topic: 'to', partition: 0, offset: 0n }, { bytes: 1e6, waitMs: 0 }, never);
  const { keySerde, valueSerde } = topicOf(to);
  const values: unknown[] = [];
  for (const view of batches) while (view.next()) values.push(new LazyRecord(view, keySerde, valueSerde, 'to').value);
  return values;
};

test('an actor in a thread waits for promises that resolve in any order, and writes their results in the order of the records', async () => {
  const resolvers = new Map<unknown, () => void>();
  const { log, actor } = await actorOf(({ value }) => {
    const result = new Promise((resolve) => resolvers.set(value, () => resolve(Number(value) * 10)));
    if (resolvers.size === 3) for (const first of [3, 1, 2]) resolvers.get(first)!();
    return result;
  });
  await actor.run();
  expect(await written(log)).toEqual([10, 20, 30]);
});

test('a call that throws ends the actor, and the signals of the other calls are aborted', async () => {
  const signals: AbortSignal[] = [];
  const { log, actor } = await actorOf(({ value }, signal) => {
    signals.push(signal);
    if (value === 3) throw new RangeError('no answer');
    return new Promise(() => {});
  });
  await expect(actor.run()).rejects.toMatchObject({ code: 'STOPLOG_HANDLER', facts: { offset: 2n, cause: 'no answer' } });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  expect(await written(log)).toEqual([]);
});
