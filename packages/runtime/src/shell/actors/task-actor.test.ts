import { store, topic } from '@stoplog/core';
import { encodeSortKey, makeClient, StoplogError, type Commit, type Committed, type Log, type Millis, type Reset } from '@stoplog/core/port';
import { memoryLog } from '@stoplog/core/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Jump } from '../../pure/host/mailbox.ts';
import { compileTask } from '../../pure/nodes/compile.ts';
import { pipeline } from '../../pure/pipeline/pipeline.ts';
import { stream } from '../../pure/pipeline/stream.ts';
import { Input } from '../../pure/actor/input.ts';
import { unitsOf } from '../../pure/host/units.ts';
import { StoreOverlay } from '../../pure/actor/overlay.ts';
import { storePart } from '../../pure/actor/store-part.ts';
import { planOf } from '../../pure/topology/plan.ts';
import { Beacon, makeBeacon } from './beacon.ts';
import { EndingSignal } from './ending.ts';
import { TaskActor } from './task-actor.ts';

const spec = { key: z.string(), value: z.int(), partitions: 1 };
const [left, right] = [topic('left', spec), topic('right', spec)];
const counts = store('counts', { key: z.string(), value: z.int() });
const plan = planOf(pipeline('both', stream(left).merge(stream(right)).count(counts)));
const task = plan.tasks[0]!;
const never = new AbortController().signal;
const membership = { units: unitsOf(plan).map(({ places }) => places) };

let lives = 0;
const live = async (
  log: Log,
  reset: Reset = 'earliest',
  jumped: (jump: Jump) => void = () => {},
): Promise<{ readonly actor: TaskActor; readonly ending: EndingSignal }> => {
  const ending = new EndingSignal();
  const part = storePart(plan, task.stores[0]!, 0);
  const overlay = new StoreOverlay(await log.store(part, never), task.stores[0]!.store!.valueSerde);
  const { emits } = compileTask(task, { stores: new Map([['counts', overlay]]), outputs: new Map() });
  const positions = await log.committed(
    'both',
    task.inputs.map((input) => ({ topic: input.topic.name, partition: 0 })),
  );
  const actor = new TaskActor({
    group: 'both',
    epoch: 1,
    life: `life ${++lives}`,
    task,
    partition: 0,
    log,
    ending,
    reset,
    wallClock: () => 0,
    jumped,
    inputs: task.inputs.map((input, i) => new Input(input.topic, 0, positions[i]!.offset, emits[i]!)),
    stores: new Map([[part.store, overlay]]),
    outputs: [],
    suspect: undefined,
    beacon: new Beacon(makeBeacon()),
    now: () => 0,
    idle: () => ending.end('drain'),
  });
  return { actor, ending };
};
const drained = async ({ actor }: { readonly actor: TaskActor }): Promise<void> => {
  while (await actor.turn());
};
const countOf = async (log: Log): Promise<unknown> => {
  const bytes = (await log.store(storePart(plan, task.stores[0]!, 0), never)).get(encodeSortKey('k'));
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

    const first = await live(leaky);
    await client.append(left, [{ key: 'k', value: 1 }]);
    await first.actor.turn();
    await client.append(right, [{ key: 'k', value: 2 }]);
    await first.actor.turn();
    expect(outcomes).toHaveLength(2);
    expect(await outcomes[1]).toMatchObject({ code: 'STOPLOG_FENCED' });
    lose();
    await first.actor.quiet();
    expect(await countOf(log)).toBeUndefined();

    await drained(await live(log));
    expect(await countOf(log)).toBe(2);
  });
});

describe('a task whose next records the log has forgotten', () => {
  const behind = async (): Promise<Log> => {
    const log = memoryLog({ holes: false });
    await log.ensure(plan.topics.map(({ shape }) => shape));
    await log.join('both', membership, never)[Symbol.asyncIterator]().next();
    await makeClient(log).append(
      left,
      Array.from({ length: 2 }, (_, value) => ({ key: 'k', value, timestamp: 100 * value })),
    );
    await drained(await live(log));
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
  ])('goes on where its reset says: %j', async (reset, to, counted) => {
    const log = await behind();
    const jumps: Jump[] = [];
    await drained(await live(log, reset, (jump) => jumps.push(jump)));
    expect(jumps).toEqual([{ topic: 'left', partition: 0, from: 2n, to }]);
    expect(await countOf(log)).toBe(counted);
    expect(await log.committed('both', at)).toEqual([{ ...at[0], offset: 8n }]);
  });
  test('fails with the range when its reset says so, and nothing has moved', async () => {
    const log = await behind();
    await expect(drained(await live(log, 'fail'))).rejects.toMatchObject({ code: 'STOPLOG_OFFSET_OUT_OF_RANGE', facts: { offset: 2n, start: 5n, end: 8n } });
    expect(await log.committed('both', at)).toEqual([{ ...at[0], offset: 2n }]);
  });
});
