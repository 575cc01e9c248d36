/** Cases that need a running pipeline: records that yield nothing, gaps, headers, or keys with a meaning in JavaScript. */
import type { Header, LogClient, Origin } from '@stoplog/core';
import type { Log } from '@stoplog/core/port';
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { run, type App } from '@stoplog/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAMS } from '../harness/child.ts';
import { deleted, deletions, dropped, hundreds, letterCopies, letters, perWord, thousand, words } from './cases.pipeline.ts';

let [folder, app, port] = [undefined as unknown as string, undefined as unknown as App, undefined as unknown as Log];
const start = (): Promise<App> => run(new URL(`file://${PROGRAMS}cases/cases.pipeline.js`), { log: lmdb(folder), threads: 1, logger: 'none' });
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stoplog-cases-'));
  app = await start();
  port = await openPort(lmdb(folder));
});
afterAll(async () => {
  await port[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
const position = async (topic: string): Promise<bigint> => (await port.committed('cases', [{ topic, partition: 0 }]))[0]!.offset;
const values = async <K, V>(log: LogClient, face: Origin<K, V>): Promise<readonly (V | null)[]> => {
  const found: (V | null)[] = [];
  for await (const batch of log.read(face, { from: 'earliest', until: 'end' })) found.push(...batch.map(({ value }) => value));
  return found;
};

test('O20: a record that yields nothing is finished all the same, and the position is the next record, not the last', async () => {
  await app.log.append(
    thousand,
    Array.from({ length: 1_000 }, (_, n) => ({ key: `k${n}`, value: n })),
  );
  await app.log.append(
    dropped,
    Array.from({ length: 500 }, (_, n) => ({ key: `k${n}`, value: n })),
  );
  await app.log.append(
    deletions,
    Array.from({ length: 10 }, (_, n) => ({ key: `k${n % 7}`, value: n < 7 ? n : null })),
  );
  await app.settled();
  expect([await position('thousand'), await position('dropped'), await position('deletions')]).toEqual([1_000n, 500n, 10n]);
  expect((await values(app.log, hundreds)).length).toBe(10);
  await app[Symbol.asyncDispose]();
  app = await start();
  await app.log.append(thousand, [{ key: 'new', value: 100 }]);
  await app.settled();
  // Another record follows, and nothing is repeated: the pipeline resumed at its position.
  expect((await values(app.log, hundreds)).length).toBe(11);
  expect(await position('thousand')).toBe(1_001n);
});

test('O03, O08: a pipeline reads past gaps, also at the end, and settles after them', async () => {
  const builder = new BatchBuilder();
  for (const delta of [1, 2, 3, 7]) builder.appendAt(delta, 'k', `at ${delta}`, 1_000);
  await port.commit({ group: '', epoch: 0, appends: [{ topic: 'letters', partition: 0, batch: builder.finish(11) }], stores: [], positions: [] });
  await app.settled();
  expect(await position('letters')).toBe(12n);
  expect(await values(app.log, letterCopies)).toEqual(['at 1', 'at 2', 'at 3', 'at 7']);
});

test('O10: headers stay a list through a pipeline', async () => {
  const headers: readonly Header[] = [
    { name: 'a', value: Uint8Array.of(49) },
    { name: 'b', value: null },
    { name: 'a', value: new Uint8Array(0) },
    { name: '__proto__', value: Uint8Array.of(0xff) },
  ];
  await app.log.append(letters, [{ key: 'k', value: 'headed', headers }]);
  await app.settled();
  const plain = (all: readonly Header[]): readonly unknown[] => all.map(({ name, value }) => [name, value && [...value]]);
  let copied: readonly Header[] = [];
  for await (const batch of app.log.read(letterCopies, { from: 'earliest', until: 'end' }))
    copied = batch.find(({ value }) => value === 'headed')?.headers ?? copied;
  expect(plain(copied)).toEqual(plain(headers));
});

test('O12: words with a meaning in JavaScript are counted like others', async () => {
  const hostile = ['__proto__', 'constructor', 'toString', 'a'];
  await app.log.append(
    words,
    hostile.map((key) => ({ key, value: 'x' })),
  );
  await app.settled();
  expect(await Promise.all(hostile.map((key) => app.store(perWord).get(key)))).toEqual([1, 1, 1, 1]);
});

test('O02: a deleted key is gone from a table, and a key with an empty value is not', async () => {
  expect(await values(app.log, deleted)).toContain(null);
});
