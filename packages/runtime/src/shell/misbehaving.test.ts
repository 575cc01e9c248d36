import { openLog, topic, type LogClient, type Topic } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startApp, withFolder } from './fixtures/child.ts';

interface Failed {
  readonly code: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}
interface Read {
  readonly key: string;
  readonly value: string | null;
  readonly partition: number;
  readonly offset: bigint;
}
type Words = Topic<string, string>;

const PARTITIONS = [0, 1];
const POISON_AT = 250;
const RECORDS = 600;
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

const words = (name: string): Words => topic(name, { key: z.string(), value: z.string(), partitions: PARTITIONS.length });
const readAll = async (log: LogClient, face: Words): Promise<readonly Read[]> => {
  const all: Read[] = [];
  for await (const batch of log.read(face, { from: 'earliest', until: 'end' }))
    for (const { key, value, partition, offset } of batch) all.push({ key, value, partition, offset });
  return all;
};
/** The records as a short text, for readable failures. */
const texts = (records: readonly Read[], partition: number): string =>
  records
    .filter((record) => record.partition === partition)
    .map(({ value }) => value)
    .join(' ');
const appendWith = (log: LogClient, face: Words, poison: string): Promise<unknown> =>
  log.append(
    face,
    Array.from({ length: RECORDS }, (_, i) => ({ key: KEYS[i % KEYS.length]!, value: i === POISON_AT ? poison : `${i}` })),
  );

/** Runs a pipeline with a task for each kind of misbehaviour at one record, until all these partitions have failed; then again, repaired. */
const misbehave = async (kinds: readonly string[], options: object, judge: (kind: string, failed: Failed, key: string) => void): Promise<void> => {
  await withFolder(async (folder) => {
    const log = await openLog(lmdb(folder));
    const jobs = kinds.map((_, i) => words(`jobs-${i}`));
    const done = kinds.map((_, i) => words(`done-${i}`));
    for (const [i, kind] of kinds.entries()) await appendWith(log, jobs[i]!, kind);
    const env = { KINDS: kinds.join(',') };
    const app = startApp(folder, 'poison.pipeline.mjs', { threads: 2, logger: 'none', ...options }, { env });
    await app.said('running');
    const poisons = kinds.filter((kind) => kind !== 'nothing');
    app.send(`failures ${poisons.length}`);
    const { state, failed, restarts } = await app.heard<{ readonly state: string; readonly restarts: number; readonly failed: readonly Failed[] }>('failures');
    expect([state, failed.length]).toEqual(['running', poisons.length]);
    // A promise is refused at its first try alone.
    expect(restarts).toBeGreaterThanOrEqual(poisons.reduce((sum, kind) => sum + (kind.startsWith('promise') ? 1 : 4), 0));
    app.send('settle');
    expect((await app.heard<Failed>('failed')).code).toBe('STOPLOG_HANDLER');

    const inputs = await Promise.all(jobs.map((face) => readAll(log, face)));
    const isPoisoned = (i: number, partition: number): boolean =>
      kinds[i] !== 'nothing' && inputs[i]!.some((record) => record.value === kinds[i] && record.partition === partition);
    // A neighbour may have been restarted with the thread that it shared, so the test reads until its copies are complete.
    for (const [i, face] of done.entries()) {
      for (const partition of PARTITIONS) {
        const all = inputs[i]!.filter((record) => record.partition === partition).length;
        if (!isPoisoned(i, partition))
          for await (const batch of log.read(face, { from: 'earliest', partitions: [partition] })) if (batch.at(-1)!.offset >= BigInt(all - 1)) break;
      }
    }
    for (const [i, kind] of kinds.entries()) {
      const poison = kind === 'nothing' ? undefined : inputs[i]!.find(({ value }) => value === kind);
      const copied = await readAll(log, done[i]!);
      for (const partition of PARTITIONS) {
        const expected = poison?.partition === partition ? inputs[i]!.filter(({ offset }) => offset < poison.offset) : inputs[i]!;
        expect(`${kind}: ${texts(copied, partition)}`).toBe(`${kind}: ${texts(expected, partition)}`);
      }
      if (poison === undefined) continue;
      const failure = failed.find(({ facts }) => facts['topic'] === `jobs-${i}`)!;
      expect(failure).toMatchObject({
        code: 'STOPLOG_HANDLER',
        facts: { task: expect.any(Number), partition: poison.partition, offset: Number(poison.offset) },
      });
      expect(failure.message).toContain(`jobs-${i}[${poison.partition}] offset ${poison.offset}`);
      judge(kind, failure, poison.key);
    }
    app.send('delay');
    expect(Number((await app.said('delay ')).slice(6))).toBeLessThan(200);
    app.send('dispose');
    expect(Number((await app.said('disposed ')).slice(9))).toBeLessThan(5_000);
    expect(await app.ended).toMatchObject({ code: 0, errors: '' });

    const repaired = startApp(folder, 'poison.pipeline.mjs', { threads: 2, logger: 'none' }, { env: { ...env, REPAIRED: 'yes' } });
    await repaired.said('running');
    repaired.send('settle');
    await repaired.said('settled');
    repaired.send('dispose');
    expect(await repaired.ended).toMatchObject({ code: 0, errors: '' });
    for (const [i, kind] of kinds.entries()) {
      const copied = await readAll(log, done[i]!);
      for (const partition of PARTITIONS) expect(`${kind}: ${texts(copied, partition)}`).toBe(`${kind}: ${texts(inputs[i]!, partition)}`);
    }
    await log[Symbol.asyncDispose]();
  });
};

describe('a record at which a handler misbehaves is named, stops only its partition, and is processed by a repaired handler', () => {
  test('a handler throws any value, returns a promise, leaves one floating, or returns a value that cannot be encoded', async () => {
    const says: Readonly<Record<string, RegExp>> = {
      throw: /: boom/,
      'throw text': /: boom/,
      'throw nothing': /undefined was thrown/,
      'throw nonsense': /object was thrown/,
      promise: /returned a promise/,
      'promise that fails': /returned a promise/,
      floating: /a promise .* was rejected.*boom/,
      recurse: /call stack/,
      'not encodable': /done-\d/,
      'state not encodable': /job-count/,
    };
    await misbehave([...Object.keys(says), 'nothing'], {}, (kind, { message, facts }, key) => {
      expect(message).toMatch(says[kind]!);
      expect(facts['key']).toBe(key);
    });
  }, 60_000);

  test('a handler ends its thread, or uses all memory', async () => {
    const says: Readonly<Record<string, RegExp>> = { exit: /exit/, eat: /memory/ };
    await misbehave([...Object.keys(says), 'nothing'], { heapMb: 48 }, (kind, { message }) => expect(message).toMatch(says[kind]!));
  }, 60_000);

  test('a handler never returns, because it spins or sleeps', async () => {
    await misbehave(['loop', 'wait', 'nothing'], { hangAfter: 500 }, (_, { message }) => expect(message).toMatch(/hangs/));
  }, 60_000);
});

test('a late throw of something that a handler started is reported and costs a restart, not a failure of the record', async () => {
  await withFolder(async (folder) => {
    const log = await openLog(lmdb(folder));
    await appendWith(log, words('jobs-0'), 'floating later');
    const app = startApp(folder, 'poison.pipeline.mjs', { threads: 2 }, { env: { KINDS: 'floating later' } });
    await app.said('running');
    app.send('settle');
    await app.said('settled');
    app.send('dispose');
    const { code, errors } = await app.ended;
    expect(code).toBe(0);
    expect(errors).toMatch(/something started by a handler threw later: boom/);
    const [input, copied] = [await readAll(log, words('jobs-0')), await readAll(log, words('done-0'))];
    for (const partition of PARTITIONS) expect(texts(copied, partition)).toBe(texts(input, partition));
    await log[Symbol.asyncDispose]();
  });
}, 30_000);
