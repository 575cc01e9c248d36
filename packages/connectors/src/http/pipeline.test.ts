/** Pipelines that write to an HTTP server: killed again and again, and beside a server with faults. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { filter, firstValueFrom } from 'rxjs';
import { expect, test, vi } from 'vitest';
import { finish, killRepeatedly } from '../sql/fixtures/kills.ts';
import { numbers } from '../sql/fixtures/numbers.mjs';
import { HttpTarget } from './fixtures/target.ts';

const PIPELINE = new URL('./fixtures/numbers-to-http.mjs', import.meta.url);
const RECORDS = 800;
const withTarget = async (version: string, body: (target: HttpTarget, data: string, env: Readonly<Record<string, string>>) => Promise<void>): Promise<void> => {
  const data = mkdtempSync(join(tmpdir(), 'stoplog-http-'));
  const target = await HttpTarget.start();
  const env = { TARGET: target.url, VERSION: version };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    await body(target, data, env);
  } finally {
    vi.unstubAllEnvs();
    await target[Symbol.asyncDispose]();
    rmSync(data, { recursive: true, force: true });
  }
};
const expectAll = (target: HttpTarget, count: number): void => {
  expect(new Map([...target.values()].map(([key, value]) => [Number(key), value]))).toEqual(new Map(Array.from({ length: count }, (_, n) => [n, n])));
  expect(target.changes).toBe(count);
};

test.each(['if-match', 'idempotency-key'])('a pipeline that is killed repeatedly has the effect of each record once, by %s', async (version) => {
  await withTarget(version, async (target, data, env) => {
    console.log('http:', await killRepeatedly({ data, pipeline: PIPELINE, env, records: RECORDS, kills: 2, changes: async () => target.changes }));
    await finish(data, PIPELINE);
    expectAll(target, RECORDS);
    console.log(`http: ${target.seen.length} requests for ${RECORDS} records by ${version}`);
  });
});

test('a server that fails for a while: its partitions wait, as the status says, and each record has its effect once', async () => {
  await withTarget('if-match', async (target, data) => {
    await using app = await run(PIPELINE, { log: lmdb(data), threads: 1, logger: 'none' });
    const append = (from: number, to: number): Promise<unknown> =>
      app.log.append(
        numbers,
        Array.from({ length: to - from }, (_, i) => ({ key: from + i, value: from + i })),
      );
    await append(0, 50);
    await app.settled();
    // Every third request is processed, and its answer is lost.
    target.fault = () => (target.seen.length % 3 === 0 ? 'drop after' : { status: 503 });
    await append(50, 100);
    const { retrying, failed } = await firstValueFrom(app.status.pipe(filter((status) => status.retrying.length === 2)));
    expect([retrying.map(({ error }) => error), failed]).toMatchObject([[{ code: 'STOPLOG_SINK' }, { code: 'STOPLOG_SINK' }], []]);
    target.fault = () => undefined;
    await app.settled();
    expectAll(target, 100);
  });
});
