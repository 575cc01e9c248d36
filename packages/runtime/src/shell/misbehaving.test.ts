import { openLog, type LogClient } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { startApp, withFolder, type Child } from './fixtures/child.ts';
import { done, jobs, quiet, quietDone } from './fixtures/poison.pipeline.mjs';

interface Told {
  readonly code: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}
interface Report {
  readonly state: string;
  readonly restarts: number;
  readonly failed: readonly object[];
}
const BEFORE = 300;
const RECORDS = 1_000;
/** Keys of one partition each; found by appending. */
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

const contents = async (log: LogClient, face: typeof done): Promise<readonly { readonly key: string; readonly value: string; readonly partition: number; readonly offset: bigint }[]> => {
  const all = [];
  for await (const batch of log.read(face, { from: 'earliest', until: 'end' })) for (const { key, value, partition, offset } of batch) all.push({ key, value: value ?? '', partition, offset });
  return all;
};
/** Copies, partition by partition, must be the beginning of what they are copies of. */
const values = (records: readonly { readonly value: string; readonly partition: number }[], partition: number): string =>
  records.filter((record) => record.partition === partition).map(({ value }) => value.replace('fine ', '')).join(' ');

const statusOf = async (app: Child): Promise<Report> => {
  app.tell('status');
  return app.told<Report>('status');
};

/** `names`: what the message says of the record's cause. */
const cases = [
  { kind: 'throw', says: /boom/ },
  { kind: 'throw text', says: /boom/ },
  { kind: 'throw nothing', says: /undefined/ },
  { kind: 'throw nonsense', says: /object/ },
  { kind: 'promise', says: /returned a promise/ },
  { kind: 'promise that fails', says: /returned a promise/ },
  { kind: 'floating', says: /a promise .* was rejected.*boom/ },
  { kind: 'exit', says: /exit/ },
  { kind: 'recurse', says: /call stack/ },
  { kind: 'not encodable', says: /done/ },
  { kind: 'state not encodable', says: /job-count|encode/ },
  { kind: 'eat', says: /memory/ },
  { kind: 'loop', says: /hangs/ },
  { kind: 'wait', says: /hangs/ },
];

describe('a handler that misbehaves at one record stops that partition alone, and says where:', () => {
  test.concurrent.each(cases)('$kind', async ({ kind, says }) => {
    await withFolder(async (folder) => {
      const log = await openLog(lmdb(folder));
      const records = Array.from({ length: RECORDS }, (_, i) => ({ key: KEYS[i % KEYS.length]!, value: i === BEFORE ? kind : `fine ${i}` }));
      await log.append(jobs, records);
      await log.append(quiet, records);
      const input = await contents(log, jobs);
      const poison = input.find(({ value }) => value === kind)!;
      const app = startApp(folder, 'poison.pipeline.mjs', { threads: 2, tell: 'nothing', hangAfter: 600, heapMb: 48 });
      await app.said('running');
      app.tell('settle');
      const { code, message, facts } = await app.told<Told>('failed');
      expect(code).toBe('STOPLOG_HANDLER');
      expect(message).toMatch(says);
      expect(message).toContain(`jobs[${poison.partition}] offset ${poison.offset}`);
      expect(facts).toMatchObject({ task: expect.any(Number), topic: 'jobs', partition: poison.partition, offset: Number(poison.offset) });
      if (!['exit', 'eat', 'loop', 'wait'].includes(kind)) expect(facts).toMatchObject({ key: poison.key });
      const report = await statusOf(app);
      expect(report).toMatchObject({ state: 'running', failed: [{ partition: poison.partition, code: 'STOPLOG_HANDLER' }] });
      expect(report.restarts).toBeGreaterThanOrEqual(4);
      // The neighbours have all they can have.
      for (let rounds = 0; rounds < 200; rounds++) {
        const copied = await contents(log, done);
        if ((await contents(log, quietDone)).length === RECORDS && [0, 1, 2].every((p) => p === poison.partition || values(copied, p).length === values(input, p).length)) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const copied = await contents(log, done);
      for (const partition of [0, 1, 2]) expect(values(copied, partition)).toEqual(values(input.filter(({ offset }) => partition !== poison.partition || offset < poison.offset), partition));
      expect((await contents(log, quietDone)).length).toBe(RECORDS);
      app.tell('delay');
      expect(Number((await app.said('delay ')).slice(6))).toBeLessThan(200);
      app.tell('dispose');
      expect(Number((await app.said('disposed ')).slice(9))).toBeLessThan(5_000);
      expect(await app.ended).toMatchObject({ code: 0, errors: '' });

      const repaired = startApp(folder, 'poison.pipeline.mjs', { threads: 2, tell: 'nothing' }, { env: { REPAIRED: 'yes' } });
      await repaired.said('running');
      repaired.tell('settle');
      await repaired.said('settled');
      repaired.tell('dispose');
      expect(await repaired.ended).toMatchObject({ code: 0, errors: '' });
      const all = await contents(log, done);
      for (const partition of [0, 1, 2]) expect(values(all, partition)).toEqual(values(input, partition));
      await log[Symbol.asyncDispose]();
    });
  }, 60_000);
});
