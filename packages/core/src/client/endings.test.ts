import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openLog, topic, type LogClient } from '@stoplog/core';
import { makeClient } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { memoryLog } from '@stoplog/core/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { inFolder } from './fixtures/pressed.ts';

const letters = topic('letters', { key: z.string(), value: z.string(), partitions: 2 });
const many = topic('many', { key: z.string(), value: z.string(), partitions: 40 });
const silent: AsyncIterable<{ readonly key: string; readonly value: string }> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };

const logs: readonly (readonly [string, (use: (log: LogClient) => Promise<void>) => Promise<void>])[] = [
  ['over the log in memory', (use) => use(makeClient(memoryLog()))],
  [
    'over LMDB',
    (use) =>
      inFolder(async (path) => {
        const log = await openLog(lmdb(path));
        try {
          await use(log);
        } finally {
          await log[Symbol.asyncDispose]();
        }
      }),
  ],
];

describe.each(logs)('an iterable %s', (_, withLog) => {
  test('a read that waits ends when its iterator is asked to return or to throw', async () => {
    await withLog(async (log) => {
      for (const end of ['return', 'throw'] as const) {
        const reading = log.read(letters, { from: 'earliest' })[Symbol.asyncIterator]();
        const next = reading.next();
        await log.ends(letters);
        const ended = end === 'return' ? reading.return!() : reading.throw!(new Error('enough')).catch((error: Error) => error.message);
        expect([await next, await ended]).toEqual([{ value: undefined, done: true }, end === 'return' ? { value: undefined, done: true } : 'enough']);
        expect(await reading.next()).toEqual({ value: undefined, done: true });
      }
    });
  });
  test('a read ends when a stream over it is destroyed, or a pipeline is aborted, and a loop when it breaks', async () => {
    await withLog(async (log) => {
      const stream = Readable.from(log.read(letters, { from: 'earliest' }));
      stream.resume();
      await log.ends(letters);
      stream.destroy();
      await once(stream, 'close');

      const stop = new AbortController();
      const piping = pipeline(Readable.from(log.read(letters, { from: 'earliest' })), new Writable({ objectMode: true }), { signal: stop.signal });
      await log.ends(letters);
      stop.abort();
      await expect(piping).rejects.toMatchObject({ name: 'AbortError' });

      await log.append(letters, [{ key: 'k', value: 'v' }]);
      let batches = 0;
      for await (const batch of log.read(letters, { from: 'earliest' })) {
        batches += batch.length;
        break;
      }
      expect(batches).toBe(1);
    });
  }, 10_000);
  test('an append of a silent iterable ends with the reason of its signal', async () => {
    await withLog(async (log) => {
      const stop = new AbortController();
      const appending = log.append(letters, silent, { signal: stop.signal });
      await log.ends(letters);
      stop.abort(new Error('enough'));
      await expect(appending).rejects.toThrow('enough');
    });
  });
  test('one signal serves any number of reads and appends without a warning, and keeps no listener', async () => {
    await withLog(async (log) => {
      const warnings: Error[] = [];
      const warned = (warning: Error): number => warnings.push(warning);
      process.on('warning', warned);
      const stop = new AbortController();
      const { signal } = stop;
      const read = async (): Promise<void> => {
        for await (const batch of log.read(many, { from: 'earliest', signal })) expect(batch).toEqual([]);
      };
      const reads = Array.from({ length: 20 }, read);
      const appends = Array.from({ length: 20 }, () => log.append(letters, silent, { signal }));
      for (let i = 0; i < 20; i++) await log.ends(many);
      stop.abort(new Error('enough'));
      await Promise.all(reads);
      for (const { status } of await Promise.allSettled(appends)) expect(status).toBe('rejected');
      await new Promise((resolve) => setImmediate(resolve));
      process.off('warning', warned);
      expect(warnings).toEqual([]);
    });
  });
});
