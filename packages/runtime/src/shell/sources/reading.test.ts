/** A source of bytes, read in its own thread: over a port first, then in a running pipeline. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { lmdb } from '@stoplog/core/lmdb';
import type { ByteSource, RawArrival, SourceReader } from '@stoplog/core/port';
import { run, type App } from '@stoplog/runtime';
import { describe, expect, test, vi } from 'vitest';
import { NUMBERS, out } from './fixtures/numbers.mjs';
import { RemoteReader } from './remote-reader.ts';
import { serveReader } from './serve-reader.ts';

const START = { group: 'g', partition: 1, position: 7n };
const LIMIT = { records: 10, bytes: 1_000 };
const never = new AbortController().signal;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const readerOf = (over: Partial<SourceReader<RawArrival>>): SourceReader<RawArrival> => ({
  pull: () => Promise.resolve({ arrivals: [], ended: true }),
  acknowledge: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
  ...over,
});
const connected = (open: ByteSource<unknown, unknown>['open']): { readonly remote: RemoteReader; readonly served: Promise<void>; readonly cut: () => void } => {
  const { port1, port2 } = new MessageChannel();
  const source: ByteSource<unknown, unknown> = { kind: 'source', name: 'far', open, decode: (raw) => raw };
  return { remote: new RemoteReader('far', port2), served: serveReader(source, port1), cut: () => port1.close() };
};

describe('a reader in another thread', () => {
  test('a remote reader is opened at its position, and yields the same arrivals and position as a local one', async () => {
    const opened = vi.fn();
    const arrivals = [
      { key: null, value: bytes('a'), timestamp: 5, headers: [{ name: 'h', value: null }], item: { receipt: 1 } },
      { key: bytes('k'), value: null, timestamp: 3, headers: [], item: 'two' },
    ];
    const { remote, served } = connected((start) => {
      opened(start);
      return Promise.resolve(readerOf({ pull: () => Promise.resolve({ arrivals, position: 9n, ended: true }) }));
    });
    await remote.open(START);
    expect(opened).toHaveBeenCalledExactlyOnceWith(START);
    expect(await remote.pull(LIMIT, never)).toEqual({ arrivals, position: 9n, ended: true });
    await remote[Symbol.asyncDispose]();
    await served;
  });
  test('a remote reader receives each call about its arrivals, and answers it when it is done', async () => {
    const [acknowledge, release, extend] = [vi.fn(() => Promise.resolve()), vi.fn(() => Promise.resolve()), vi.fn(() => Promise.reject(new Error('too late')))];
    const { remote } = connected(() => Promise.resolve(readerOf({ acknowledge, release, extend })));
    await remote.open(START);
    await Promise.all([remote.acknowledge([1, 2], 9n), remote.release([3], 50)]);
    expect(acknowledge).toHaveBeenCalledExactlyOnceWith([1, 2], 9n);
    expect(release).toHaveBeenCalledExactlyOnceWith([3], 50);
    await expect(remote.extend([3], 10)).rejects.toThrow('too late');
    await remote[Symbol.asyncDispose]();
  });
  test('a waiting pull ends when its signal is aborted', async () => {
    const pull = (_: unknown, signal: AbortSignal): ReturnType<SourceReader<RawArrival>['pull']> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ arrivals: [], ended: false }), { once: true }));
    const { remote } = connected(() => Promise.resolve(readerOf({ pull })));
    await remote.open(START);
    const stop = new AbortController();
    const waiting = remote.pull(LIMIT, stop.signal);
    stop.abort();
    expect(await waiting).toEqual({ arrivals: [], position: undefined, ended: false });
    expect(await remote.pull(LIMIT, AbortSignal.abort())).toEqual({ arrivals: [], position: undefined, ended: false });
    await remote[Symbol.asyncDispose]();
  });
  test('an error of opening or of a pull is passed on', async () => {
    await expect(connected(() => Promise.reject(new Error('no such queue'))).remote.open(START)).rejects.toThrow('no such queue');
    const { remote } = connected(() => Promise.resolve(readerOf({ pull: () => Promise.reject(new Error('connection lost')) })));
    await remote.open(START);
    await expect(remote.pull(LIMIT, never)).rejects.toThrow('connection lost');
    await remote[Symbol.asyncDispose]();
  });
  test('a reader is disposed of when the actor closes its port, and every call fails when the thread has ended', async () => {
    const disposed = vi.fn(() => Promise.resolve());
    const { remote, served, cut } = connected(() => Promise.resolve(readerOf({ pull: () => new Promise(() => {}), [Symbol.asyncDispose]: disposed })));
    await remote.open(START);
    const waiting = remote.pull(LIMIT, never);
    waiting.catch(() => {});
    cut();
    await served;
    expect(disposed).toHaveBeenCalledOnce();
    await expect(waiting).rejects.toMatchObject({ code: 'STOPLOG_SOURCE', facts: { source: 'far' } });
    await expect(remote.acknowledge([], 0n)).rejects.toMatchObject({ code: 'STOPLOG_SOURCE' });
    await remote[Symbol.asyncDispose]();
  });
});

interface Out {
  readonly n: number;
  readonly partition: number;
  readonly ticks: number;
}
const arrived = async (app: App, records: number): Promise<readonly Out[]> => {
  const seen: Out[] = [];
  for await (const batch of app.log.read(out, { from: 'earliest' })) {
    seen.push(...batch.map(({ value }) => value as Out));
    if (seen.length >= records) break;
  }
  return seen;
};
const withFolder = async (body: (path: string) => Promise<void>): Promise<void> => {
  const path = await mkdtemp(join(tmpdir(), 'stoplog-reading-'));
  try {
    await body(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
};
const start = (name: string, path: string): Promise<App> =>
  run(new URL(`./fixtures/${name}.mjs`, import.meta.url), { log: lmdb(path), threads: 1, logger: 'none' });

describe('a pipeline that reads a source of bytes', () => {
  test('each partition of the source has an actor, which resumes at its committed position: each record is output once', async () => {
    await withFolder(async (path) => {
      {
        await using app = await start('numbers', path);
        await arrived(app, 300);
      }
      await using app = await start('numbers', path);
      const all = await arrived(app, 2 * NUMBERS);
      for (const partition of [0, 1])
        expect(
          all
            .filter((one) => one.partition === partition)
            .map(({ n }) => n)
            .toSorted((a, b) => a - b),
        ).toEqual(Array.from({ length: NUMBERS }, (_, n) => n));
    });
  });
  test('a handler that blocks its thread does not delay the reader', async () => {
    await withFolder(async (path) => {
      await using app = await start('blocking', path);
      const all = await arrived(app, 2 * NUMBERS);
      // 300 ms in the handler are some sixty ticks of the reader's timer; in the handler's thread there would be none.
      expect(Math.max(...all.map(({ ticks }) => ticks))).toBeGreaterThan(10);
    });
  });
});
