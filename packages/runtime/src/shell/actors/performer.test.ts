import { type Millis, type Reset, StoplogError, store, topic } from '@stoplog/core';
import type { Commit, Committed, Log, SourceReader } from '@stoplog/core/port';
import { encodeSortKey, makeClient } from '@stoplog/core/kit';
import { memoryLog } from '@stoplog/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ArrivalWork } from '../../pure/actor/arrivals.ts';
import { compile, recordWork, storesOf, type Ground } from '../../pure/actor/compile-task.ts';
import { LIMITS } from '../../pure/actor/limits.ts';
import type { Jump } from '../../pure/actor/place.ts';
import type { Emit } from '../../pure/nodes/emit.ts';
import { unitsOf } from '../../pure/host/units.ts';
import { pipeline } from '../../pure/pipeline/pipeline.ts';
import { stream } from '../../pure/pipeline/stream.ts';
import { planOf } from '../../pure/topology/plan.ts';
import { Beacon, makeBeacon } from './beacon.ts';
import { Performer } from './performer.ts';

const spec = { key: z.string(), value: z.int(), partitions: 1 };
const [left, right] = [topic('left', spec), topic('right', spec)];
const counts = store('counts', { key: z.string(), value: z.int() });
const plan = planOf(pipeline('both', stream(left).merge(stream(right)).count(counts)));
const task = plan.tasks[0]!;
const never = new AbortController().signal;
const membership = { units: unitsOf(plan).map(({ places }) => places) };

const ground: Ground = { plan, task, partition: 0 };
const outside = { reset: 'earliest' as Reset, now: () => 0, wallClock: () => 0, turn: () => {}, takeDropped: () => [], jumped: () => {} };

let lives = 0;
const live = async (
  log: Log,
  over: { readonly reset?: Reset; readonly jumped?: (jump: Jump) => void; readonly idle?: () => void } = {},
): Promise<Performer> => {
  const opened = [await log.store(storesOf(ground)[0]!, never)];
  const positions = await log.committed(
    'both',
    task.inputs.map((input) => ({ topic: input.topic.name, partition: 0 })),
  );
  const work = recordWork(ground, compile(ground, opened), {
    epoch: 1,
    incarnation: `life ${++lives}`,
    positions: positions.map(({ offset }) => offset),
    timeStore: undefined,
    suspect: undefined,
    beacon: new Beacon(makeBeacon()),
    limits: LIMITS,
    now: () => 0,
  });
  const actor: Performer = new Performer({ ...outside, work, log, idle: () => actor.drain(), ...over });
  return actor;
};
/** Runs until every record in the log is processed and committed. */
const drained = async (log: Log, over: Parameters<typeof live>[1] = {}): Promise<void> => (await live(log, over)).run();
const countOf = async (log: Log): Promise<unknown> => {
  const bytes = (await log.store(storesOf(ground)[0]!, never)).get(encodeSortKey('k'));
  return bytes && task.stores[0]!.store!.valueSerde.decode(bytes);
};

describe('a task that reads two topics', () => {
  test('a commit that moves one input is refused when the one before it, which moved the other, was lost', async () => {
    const log = memoryLog({ holes: false });
    await log.ensure(plan.topics.map(({ shape }) => shape));
    const client = makeClient(log);
    const group = log.join('both', membership, never)[Symbol.asyncIterator]();
    await group.next();

    const outcomes: Promise<unknown>[] = [];
    let lose = (): void => {};
    const lost = new Promise<void>((resolve) => {
      lose = resolve;
    });
    const leaky = Object.assign(Object.create(log) as Log, {
      fetch: log.fetch.bind(log),
      store: log.store.bind(log),
      committed: log.committed.bind(log),
      commit: (commit: Commit): Promise<Committed> => {
        const first = outcomes.length === 0;
        const outcome = first
          ? lost.then(() => {
              throw new StoplogError('STOPLOG_LOG_FULL', {}, 'no space');
            })
          : log.commit(commit);
        outcomes.push(outcome.catch((error: unknown) => error));
        return outcome as Promise<Committed>;
      },
    });

    await client.append(left, [{ key: 'k', value: 1 }]);
    const first = (await live(leaky, { idle: () => {} })).run();
    await vi.waitFor(() => expect(outcomes).toHaveLength(1));
    await client.append(right, [{ key: 'k', value: 2 }]);
    await vi.waitFor(() => expect(outcomes).toHaveLength(2));
    expect(await outcomes[1]).toMatchObject({ code: 'STOPLOG_FENCED' });
    lose();
    await expect(first).rejects.toMatchObject({ code: 'STOPLOG_FENCED' });
    expect(await countOf(log)).toBeUndefined();

    await drained(log);
    expect(await countOf(log)).toBe(2);
  });
});

describe('a task whose next records were removed by retention', () => {
  const behind = async (): Promise<Log> => {
    const log = memoryLog({ holes: false });
    await log.ensure(plan.topics.map(({ shape }) => shape));
    await log.join('both', membership, never)[Symbol.asyncIterator]().next();
    await makeClient(log).append(
      left,
      Array.from({ length: 2 }, (_, value) => ({ key: 'k', value, timestamp: 100 * value })),
    );
    await drained(log);
    await makeClient(log).append(
      left,
      Array.from({ length: 6 }, (_, value) => ({ key: 'k', value, timestamp: 1_000 + 100 * value })),
    );
    await makeClient(log).deleteRecords(left, { offsets: [5n] });
    return log;
  };
  const at = [{ topic: 'left', partition: 0 }];
  test.each<[Reset, bigint, number]>([
    ['earliest', 5n, 5],
    ['latest', 8n, 2],
    [{ ago: -1_400 as Millis }, 6n, 4], // by this test's clock it is 0 o'clock
  ])('auto offset reset %j resumes at its offset', async (reset, to, counted) => {
    const log = await behind();
    const jumps: Jump[] = [];
    await drained(log, { reset, jumped: (jump) => jumps.push(jump) });
    expect(jumps).toEqual([{ topic: 'left', partition: 0, from: 2n, to }]);
    expect(await countOf(log)).toBe(counted);
    expect(await log.committed('both', at)).toEqual([{ ...at[0], offset: 8n }]);
  });
  test("auto offset reset 'fail' fails with the range, and no position moves", async () => {
    const log = await behind();
    await expect(drained(log, { reset: 'fail' })).rejects.toMatchObject({ code: 'STOPLOG_OFFSET_OUT_OF_RANGE', facts: { offset: 2n, start: 5n, end: 8n } });
    expect(await log.committed('both', at)).toEqual([{ ...at[0], offset: 2n }]);
  });
});

describe('the performer of a source', () => {
  const arrival = { key: 'k', value: 1, timestamp: 0, item: 'receipt' };
  const readerOf = (over: Partial<SourceReader>): SourceReader => ({
    pull: () => Promise.resolve({ arrivals: [arrival], ended: true }),
    acknowledge: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
    ...over,
  });
  const beacon = new Beacon(makeBeacon());
  const performerOf = (
    reader: SourceReader,
    { commit, emit = () => {}, idle = () => {} }: { readonly commit?: () => Promise<Committed>; readonly emit?: Emit; readonly idle?: () => void } = {},
  ): Performer => {
    const work = new ArrivalWork({ group: 'g', epoch: 1, incarnation: 'a', name: 'queue', partition: 2, position: 40n, emit, outputs: [], beacon });
    return new Performer({ ...outside, work, log: { commit } as unknown as Log, source: { name: 'queue', reader }, idle });
  };
  const taken = (): ReturnType<typeof vi.fn<() => Promise<Committed>>> => vi.fn(() => Promise.resolve({ offsets: [], durable: Promise.resolve() }));

  test('a pull that fails ends the actor with STOPLOG_SOURCE, and a close that fails does not hide it', async () => {
    const reader = readerOf({
      pull: () => Promise.reject(new Error('connection lost')),
      [Symbol.asyncDispose]: () => Promise.reject(new Error('and cannot be closed')),
    });
    await expect(performerOf(reader).run()).rejects.toMatchObject({ code: 'STOPLOG_SOURCE', message: expect.stringContaining('connection lost') as string });
  });
  test('a batch is acknowledged when its records are durable, and not before', async () => {
    let durable = (): void => {};
    const acknowledge = vi.fn(() => Promise.resolve());
    const commit = vi.fn(() => Promise.resolve({ offsets: [], durable: new Promise<void>((resolve) => (durable = resolve)) }));
    const actor = performerOf(readerOf({ acknowledge }), { commit });
    const ended = actor.run();
    await vi.waitFor(() => expect(commit).toHaveBeenCalledOnce());
    expect(commit).toHaveBeenCalledWith(expect.objectContaining({ epoch: 1, positions: [{ topic: 'source:queue', partition: 2, from: 40n, to: 41n }] }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(acknowledge).not.toHaveBeenCalled();
    durable();
    await vi.waitFor(() => expect(acknowledge).toHaveBeenCalledExactlyOnceWith(['receipt'], 41n));
    actor.drain();
    await ended;
  });
  test('the position of the source is committed, even where nothing arrived', async () => {
    const commit = taken();
    const pull = vi
      .fn<SourceReader['pull']>()
      .mockResolvedValueOnce({ arrivals: [arrival], position: 812n, ended: false })
      .mockResolvedValueOnce({ arrivals: [], position: 812n, ended: false })
      .mockResolvedValueOnce({ arrivals: [], position: 815n, ended: true });
    const acknowledge = vi.fn(() => Promise.resolve());
    const actor = performerOf(readerOf({ pull, acknowledge }), { commit, idle: () => pull.mock.calls.length === 3 && actor.drain() });
    await actor.run();
    const moves = commit.mock.calls.map((call: readonly unknown[]) => (call[0] as Commit).positions[0]);
    expect(moves).toEqual([
      { topic: 'source:queue', partition: 2, from: 40n, to: 812n },
      { topic: 'source:queue', partition: 2, from: 812n, to: 815n },
    ]);
    expect(acknowledge.mock.calls).toEqual([
      [['receipt'], 812n],
      [[], 815n],
    ]);
  });
  test('the arrivals of a batch whose handler threw are released, and none is acknowledged; the actor is inside no record any more', async () => {
    const [acknowledge, release] = [vi.fn(() => Promise.resolve()), vi.fn(() => Promise.resolve())];
    const emit = (): void => {
      throw new Error('boom');
    };
    await expect(performerOf(readerOf({ acknowledge, release }), { emit }).run()).rejects.toMatchObject({ code: 'STOPLOG_HANDLER' });
    expect(release).toHaveBeenCalledExactlyOnceWith(['receipt'], 0);
    expect(acknowledge).not.toHaveBeenCalled();
    expect(beacon.sighting().inside).toBe(false);
    expect(beacon.place(['queue'], 2)).toEqual({ topic: 'queue', partition: 2, offset: 0n });
  });
  test('a handler gets the headers and the timestamp of an arrival', async () => {
    const emit = vi.fn();
    const headers = [{ name: 'trace', value: Uint8Array.of(7) }];
    const reader = readerOf({ pull: () => Promise.resolve({ arrivals: [{ ...arrival, timestamp: 5, headers }], ended: true }) });
    const actor = performerOf(reader, { emit, commit: taken(), idle: () => emit.mock.calls.length > 0 && actor.drain() });
    await actor.run();
    expect(emit).toHaveBeenCalledExactlyOnceWith({ key: 'k', value: 1, timestamp: 5, headers, offset: 0n, topic: 'queue', partition: 2 });
  });
  test('a batch whose commit is refused is not acknowledged', async () => {
    const acknowledge = vi.fn(() => Promise.resolve());
    const commit = (): Promise<Committed> => Promise.reject(new StoplogError('STOPLOG_FENCED', {}, 'another owner'));
    await expect(performerOf(readerOf({ acknowledge }), { commit }).run()).rejects.toMatchObject({ code: 'STOPLOG_FENCED' });
    expect(acknowledge).not.toHaveBeenCalled();
  });
  test('arrivals that a pull yields after the drain are committed and acknowledged before the actor ends', async () => {
    const acknowledge = vi.fn(() => Promise.resolve());
    const commit = taken();
    const pull: SourceReader['pull'] = (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ arrivals: [arrival], ended: false }), { once: true }));
    const actor = performerOf(readerOf({ pull, acknowledge }), { commit });
    const ended = actor.run();
    actor.drain();
    await ended;
    expect(commit).toHaveBeenCalledOnce();
    expect(acknowledge).toHaveBeenCalledOnce();
  });
});
