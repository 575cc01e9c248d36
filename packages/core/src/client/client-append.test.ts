import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compactedTopic, type LogClient, type NewRecord, openLog, StoplogError, topic } from '@stoplog/core';
import type { Log } from '@stoplog/core/port';
import { makeClient } from '@stoplog/core/kit';
import { memoryLog } from '@stoplog/core/testing';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const letters = topic('letters', { key: z.string().nullable(), value: z.string(), partitions: 4, codec: { value: 'string' } });
type Letter = NewRecord<string | null, string>;

/** Every record of the topic, with its partition. */
const readAll = async (log: LogClient): Promise<readonly { readonly key: string | null; readonly value: string | null; readonly partition: number }[]> => {
  const found = [];
  for await (const batch of log.read(letters, { from: 'earliest', until: 'end' }))
    for (const { key, value, partition } of batch) found.push({ key, value, partition });
  return found;
};
const many = (count: number): readonly Letter[] => Array.from({ length: count }, (_, i) => ({ key: `k${i}`, value: `v${i}` }));
const withLmdb = async (use: (log: LogClient) => Promise<void>): Promise<void> => {
  const path = mkdtempSync(join(tmpdir(), 'stoplog-client-'));
  const log = await openLog(lmdb(path));
  try {
    await use(log);
  } finally {
    await log[Symbol.asyncDispose]();
    rmSync(path, { recursive: true });
  }
};
/** A log that counts its commits and acknowledges them only when the test releases them. */
const slowLog = (): { readonly client: LogClient; readonly commits: () => number; readonly release: () => void } => {
  const log = memoryLog();
  let commits = 0;
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const slow: Log = Object.create(log, {
    ensure: { value: (...topics: Parameters<Log['ensure']>) => log.ensure(...topics) },
    commit: {
      value: async (commit: Parameters<Log['commit']>[0]) => {
        commits++;
        await gate;
        return log.commit(commit);
      },
    },
  });
  return { client: makeClient(slow, async () => {}), commits: () => commits, release };
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an unknown option is refused and nothing is appended: types may have been stripped and never checked', async () => {
  const log = makeClient(memoryLog());
  const mistyped: object = { expectedend: 7n };
  const refused = { code: 'STOPLOG_USAGE', message: expect.stringContaining("append(…) knows no setting 'expectedend'") };
  await expect(log.append(letters, many(1), mistyped)).rejects.toMatchObject(refused);
  await expect((await log.producer('p')).append(letters, many(1), mistyped)).rejects.toMatchObject(refused);
  expect(await readAll(log)).toEqual([]);
  const reading = log.read(letters, { from: 'earliest', untill: 'end' } as never);
  await expect(reading[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'STOPLOG_USAGE', message: expect.stringContaining("'untill'") });
});

describe('append', () => {
  test('append takes arrays, iterables and async iterables, and returns how many records were acknowledged', async () => {
    const log = makeClient(memoryLog());
    const records = many(1_000);
    expect(await log.append(letters, records)).toEqual({ records: 1_000 });
    expect(await log.append(letters, new Set(records))).toEqual({ records: 1_000 });
    expect(
      await log.append(
        letters,
        (async function* () {
          yield* records;
        })(),
      ),
    ).toEqual({ records: 1_000 });
    expect(await log.append(letters, [])).toEqual({ records: 0 });
    expect((await readAll(log)).length).toBe(3_000);
  });

  test('an iterable that throws ends the append with its error; the records before it are appended', async () => {
    const broken = new Error('the file ended');
    const sync = function* (): Generator<Letter> {
      yield* many(3);
      throw broken;
    };
    const async = async function* (): AsyncGenerator<Letter> {
      yield* many(4);
      throw broken;
    };
    const log = makeClient(memoryLog());
    await expect(log.append(letters, sync())).rejects.toBe(broken);
    expect((await readAll(log)).length).toBe(3);
    await expect(log.append(letters, async())).rejects.toBe(broken);
    expect((await readAll(log)).length).toBe(7);
  });

  test('a record that does not parse is refused by name; the records before it are appended and counted, the ones after it are not', async () => {
    const log = makeClient(memoryLog());
    const bad = { key: 'bad', value: 5 } as unknown as Letter;
    await expect(log.append(letters, [...many(3), bad, ...many(2)])).rejects.toMatchObject({
      code: 'STOPLOG_SCHEMA',
      facts: { topic: 'letters', appended: 3 },
    });
    expect(new Set((await readAll(log)).map(({ value }) => value))).toEqual(new Set(['v0', 'v1', 'v2']));
  });

  test('records without a key spread over all partitions, and an empty key is a key', async () => {
    const log = makeClient(memoryLog());
    for (let i = 0; i < 40; i++)
      await log.append(letters, [
        { key: null, value: 'n' },
        { key: '', value: 'e' },
      ]);
    const found = await readAll(log);
    const spread = new Set(found.filter(({ key }) => key === null).map(({ partition }) => partition));
    expect(spread).toEqual(new Set([0, 1, 2, 3]));
    expect(new Set(found.filter(({ key }) => key === '').map(({ partition }) => partition)).size).toBe(1);
    expect(found.filter(({ key }) => key === '').length).toBe(40);
  });

  test('keys and values that are special to JavaScript are ordinary data', async () => {
    const log = makeClient(memoryLog());
    const things = topic('things', { key: z.string(), value: z.unknown(), partitions: 1 });
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '\u0000', '\ud83d\ude00', ' ', '"', '\\'];
    const value = JSON.parse('{"__proto__": {"polluted": true}, "constructor": null, "list": [1, "__proto__"]}') as unknown;
    await log.append(
      things,
      names.map((key) => ({ key, value })),
    );
    const found: unknown[] = [];
    for await (const batch of log.read(things, { from: 'earliest', until: 'end' })) {
      for (const record of batch) {
        found.push(record.key);
        expect(JSON.stringify(record.value)).toBe(JSON.stringify(value));
      }
    }
    expect(found).toEqual(names);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('a topic that exists in another shape is refused with both shapes as facts', async () => {
    const log = makeClient(memoryLog());
    await log.append(letters, many(1));
    const fewer = topic('letters', { key: z.string(), value: z.string(), partitions: 3, codec: { value: 'string' } });
    const compacted = compactedTopic('letters', { key: z.string(), value: z.string(), partitions: 4, codec: { value: 'string' } });
    for (const declared of [fewer, compacted]) {
      await expect(log.append(declared, [{ key: 'a', value: 'b' }])).rejects.toMatchObject({
        code: 'STOPLOG_TOPIC_SHAPE',
        facts: { topic: 'letters', found: { partitions: 4, cleanup: 'delete' } },
      });
    }
  });

  test('records that an async iterable has yielded are appended while its next item is not there yet', async () => {
    const log = makeClient(memoryLog());
    let go = (): void => {};
    const next = new Promise<void>((resolve) => (go = resolve));
    const appending = log.append(
      letters,
      (async function* () {
        yield { key: 'a', value: 'first' };
        await next;
        yield { key: 'b', value: 'second' };
      })(),
    );
    for await (const batch of log.read(letters, { from: 'earliest' })) {
      expect(batch.map(({ value }) => value)).toEqual(['first']);
      break;
    }
    go();
    expect(await appending).toEqual({ records: 2 });
  });

  test('an endless iterable runs only a few megabytes ahead of a log that does not answer', async () => {
    const { client, commits, release } = slowLog();
    const value = 'x'.repeat(1_000);
    let given = 0;
    let stop = false;
    const appending = client.append(
      letters,
      (async function* () {
        while (!stop) yield { key: `${given++}`, value };
      })(),
    );
    let before = -1;
    for (let still = 0; still < 50; still = given === before ? still + 1 : 0) {
      before = given;
      await turn();
    }
    expect(given).toBeGreaterThan(4_000);
    expect(given).toBeLessThan(6_000);
    expect(commits()).toBeGreaterThan(10);
    stop = true;
    release();
    expect(await appending).toEqual({ records: given });
  });

  test('an aborted append ends with the reason of the abort, and closes its iterable', async () => {
    const log = makeClient(memoryLog());
    const stop = new AbortController();
    let closed = false;
    const appending = log.append(
      letters,
      (async function* () {
        try {
          for (let i = 0; ; i++) {
            yield { key: 'k', value: `${i}` };
            if (i === 100) stop.abort(new Error('enough'));
          }
        } finally {
          closed = true;
        }
      })(),
      { signal: stop.signal },
    );
    await expect(appending).rejects.toThrow('enough');
    expect(closed).toBe(true);
  });
});

describe('an append one of whose commits fails', () => {
  const full = new StoplogError('STOPLOG_LOG_FULL', {}, 'no space left: make room');
  /** A log whose first commit finds no space, and whose later commits would. */
  const fullOnce = (): LogClient => {
    const log = memoryLog();
    let failed: string | undefined;
    return makeClient(
      Object.create(log, {
        ensure: { value: log.ensure.bind(log) },
        offsets: { value: log.offsets.bind(log) },
        fetch: { value: log.fetch.bind(log) },
        commit: {
          value: async (commit: Parameters<Log['commit']>[0]) => {
            if (failed === undefined) {
              failed = commit.incarnation ?? 'nobody';
              throw full;
            }
            if (commit.incarnation === failed) throw new StoplogError('STOPLOG_FENCED', {}, 'an earlier commit was refused');
            return log.commit(commit);
          },
        },
      }) as Log,
    );
  };

  test('a failed commit leaves a prefix of the records and no others, and the next append is independent', async () => {
    const log = fullOnce();
    const value = 'x'.repeat(10_000);
    const records = Array.from({ length: 100 }, (_, i) => ({ key: `${i}`, value }));
    await expect(log.append(letters, records)).rejects.toMatchObject({ code: 'STOPLOG_LOG_FULL', facts: { appended: 0 } });
    expect((await readAll(log)).length).toBe(0);
    expect(await log.append(letters, records)).toEqual({ records: 100 });
  });
  test('a failed commit ends the append at the next record, though the iterable never ends', async () => {
    const log = fullOnce();
    let given = 0;
    const endless = async function* (): AsyncGenerator<Letter> {
      for (; given < 1_000; given++) {
        // Three turns of the event loop, so that the earlier records are in flight.
        for (let i = 0; i < 3; i++) await turn();
        yield { key: 'k', value: `${given}` };
      }
      throw new Error('the failed append was never noticed');
    };
    await expect(log.append(letters, endless())).rejects.toMatchObject({ code: 'STOPLOG_LOG_FULL', facts: { appended: 0 } });
    expect(given).toBeLessThan(10);
  });
});

describe('limits, over LMDB', () => {
  const raw = topic('raw', { key: z.string(), value: z.string(), partitions: 1, codec: { key: 'string', value: 'string' } });

  test('a key of 1 MiB is kept; one byte more is refused, after the records before it are appended', async () => {
    await withLmdb(async (log) => {
      const longest = 'é'.repeat(524_288);
      expect(await log.append(raw, [{ key: longest, value: 'v' }])).toEqual({ records: 1 });
      await expect(
        log.append(raw, [
          { key: 'a', value: 'v' },
          { key: `${longest}x`, value: 'v' },
        ]),
      ).rejects.toMatchObject({ code: 'STOPLOG_KEY_TOO_LONG', facts: { size: 1_048_577, limit: 1_048_576, appended: 1 } });
      const keys: string[] = [];
      for await (const batch of log.read(raw, { from: 'earliest', until: 'end' })) for (const { key } of batch) keys.push(key);
      // Compared outside of `expect`, which would print two megabytes on a failure.
      expect([keys.length, keys[0] === longest, keys[1]]).toEqual([2, true, 'a']);
    });
  });

  test('O11: records of 16 MiB and of one byte less are kept; one byte more is refused, after the records before it are appended', async () => {
    await withLmdb(async (log) => {
      const most = 16 * 1024 * 1024;
      expect(
        await log.append(raw, [
          { key: 'k', value: 'x'.repeat(most - 1) },
          { key: 'k', value: 'x'.repeat(most - 2) },
        ]),
      ).toEqual({ records: 2 });
      await expect(
        log.append(raw, [
          { key: 'a', value: 'v' },
          { key: 'k', value: 'x'.repeat(most) },
        ]),
      ).rejects.toMatchObject({ code: 'STOPLOG_RECORD_TOO_LARGE', facts: { size: most + 1, limit: most, appended: 1 } });
      const sizes: (number | undefined)[] = [];
      for await (const batch of log.read(raw, { from: 'earliest', until: 'end' })) for (const { value } of batch) sizes.push(value?.length);
      expect(sizes).toEqual([most - 1, most - 2, 1]);
    });
  });
});
