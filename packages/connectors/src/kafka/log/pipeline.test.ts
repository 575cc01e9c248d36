/** A pipeline in threads on a log on Kafka: the runtime knows nothing of Kafka, and the log nothing of pipelines. */
import { openLog } from '@stoplog/core';
import type { LogRef } from '@stoplog/core/port';
import { run, type App } from '@stoplog/runtime';
import { describe, expect, inject, test } from 'vitest';
import { startChild } from '../fixtures/child.ts';
import { logOnPrefix } from '../fixtures/prefix.ts';
import { countByLength, words } from '../fixtures/words.mjs';

const broker = inject('kafka');
const refOf = (prefix: string): LogRef => ({
  module: new URL('../../../dist/kafka/log/log-module.js', import.meta.url).href,
  options: { brokers: [broker!], prefix },
});
const withApp = async (log: LogRef, body: (app: App) => Promise<void>): Promise<void> => {
  const app = await run(new URL('../fixtures/words.mjs', import.meta.url), { log, threads: 2, logger: 'none' });
  try {
    await body(app);
  } finally {
    await app[Symbol.asyncDispose]();
  }
};
const records = (count: number): { readonly key: string; readonly value: string }[] =>
  Array.from({ length: count }, (_, n) => ({ key: `k${n}`, value: 'x'.repeat(1 + (n % 5)) }));

// Without a broker the reason is printed when the run begins (fixtures/setup.ts).
describe.skipIf(broker === undefined)('a pipeline on Kafka', () => {
  test('every record is counted once, in threads, through a topic, and by a second app after the first', async () => {
    const { log, prefix, dispose } = logOnPrefix(broker!);
    const ref = refOf(prefix);
    try {
      await withApp(ref, async (app) => {
        await app.log.append(words, records(500));
        await app.settled();
        for (let length = 1; length <= 5; length++) expect(await app.store(countByLength).get(length)).toBe(100);
      });
      const client = await openLog(ref);
      await client.append(words, records(50));
      await client[Symbol.asyncDispose]();
      await withApp(ref, async (app) => {
        await app.settled();
        for (let length = 1; length <= 5; length++) expect(await app.store(countByLength).get(length)).toBe(110);
      });
    } finally {
      await log[Symbol.asyncDispose]();
      await dispose();
    }
  });

  test('after an app was killed in the middle, the next one counts every record once', async () => {
    const { log, prefix, dispose } = logOnPrefix(broker!);
    const ref = refOf(prefix);
    try {
      using killed = startChild('app', broker!, prefix);
      const client = await openLog(ref);
      const batches = Array.from({ length: 20 }, () => client.append(words, records(50)));
      await killed.says('counted ');
      killed.process.kill('SIGKILL');
      await Promise.all(batches);
      await client[Symbol.asyncDispose]();
      await withApp(ref, async (app) => {
        await app.settled();
        for (let length = 1; length <= 5; length++) expect(await app.store(countByLength).get(length)).toBe(200);
      });
    } finally {
      await log[Symbol.asyncDispose]();
      await dispose();
    }
  });
});
