/** O02 and O09: a value from the record to the table, the store, the join and the command line. */
import { join } from 'node:path';
import { type LogClient, openLog, type Origin } from '@stoplog/core';
import { openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { run, type App } from '@stoplog/runtime';
import { expect, test } from 'vitest';
import { PROGRAMS } from '../harness/child.ts';
import { stoplog } from '../harness/command.fixture.ts';
import { withFolder } from '../harness/folder.ts';
import { marked, shown } from './forgotten.pipeline.ts';
import { inOrder, integers, joined, lasts, numbered, others } from './integers.pipeline.ts';

const start = (name: string, folder: string): Promise<App> =>
  run(new URL(`file://${PROGRAMS}cases/${name}.pipeline.js`), { log: lmdb(folder), threads: 1, logger: 'none' });
const pairs = async <V>(log: LogClient, face: Origin<string, V>): Promise<readonly (readonly [string, V | null])[]> => {
  const found: (readonly [string, V | null])[] = [];
  for await (const batch of log.read(face, { from: 'earliest', until: 'end' })) found.push(...batch.map(({ key, value }) => [key, value] as const));
  return found;
};
/** Keys and values as they are stored, without a codec. */
const raw = async (folder: string, topic: string): Promise<readonly (readonly [string, string | null])[]> => {
  await using port = await openPort(lmdb(folder));
  const place = { topic, partition: 0 };
  const [[first], [end]] = await Promise.all([port.offsets([place], 'earliest'), port.offsets([place], 'latest')]);
  const found: (readonly [string, string | null])[] = [];
  for (let { offset } = first!; offset < end!.offset;) {
    const { next, batches } = await port.fetch({ ...place, offset }, { bytes: 1, waitMs: 0 }, new AbortController().signal);
    for (const view of batches) while (view.next()) found.push([Buffer.from(view.key()!).toString(), view.value() && Buffer.from(view.value()!).toString()]);
    offset = next;
  }
  return found;
};
const FIVE = [
  ['k1', 'v'],
  ['k1', null],
  ['k2', 'v'],
  ['k2', ''],
  ['k3', null],
] as const;

test.each(['stoplog compact', 'clean'] as const)(
  'O02: compaction removes deletions and the records they delete, and keeps a value of no bytes (%s)',
  async (how) => {
    await withFolder(async (folder) => {
      const log = await openLog(lmdb(folder, { maintenance: { everyMs: Infinity } }));
      await log.append(
        marked,
        FIVE.map(([key, value]) => ({ key, value })),
      );
      expect(await raw(folder, 'marked')).toEqual(FIVE);
      const before = await start('forgotten', folder);
      await before.settled();
      // k3 was never there, so there is no change. As a table: only k2 is there, with an empty value.
      const changes = await pairs(log, shown);
      await before[Symbol.asyncDispose]();
      expect([...new Map(changes)].filter(([, value]) => value !== null)).toEqual([['k2', '']]);
      expect(new Map(changes).get('k1')).toBe(null);
      // The first pass sets the delete horizon of a tombstone, which is at once; the second removes the tombstone.
      for (let pass = 0; pass < 2; pass++) {
        if (how === 'clean') {
          const port = await openPort(lmdb(folder));
          await (await loadTools(lmdb(folder))).clean(port, { topics: ['marked'], roll: true });
          await port[Symbol.asyncDispose]();
        } else await stoplog('compact', '--log', `lmdb:${folder}`, '--topic', 'marked', '--roll');
      }
      expect(await raw(folder, 'marked')).toEqual([['k2', '']]);
      expect(await pairs(log, marked)).toEqual([['k2', '']]);
      if (how === 'stoplog compact') {
        const lines = await stoplog('tail', 'marked', '--until-end', '--json', '--log', `lmdb:${folder}`);
        expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([expect.objectContaining({ key: 'k2', value: '', offset: 3 })]);
      }
      await log[Symbol.asyncDispose]();
    });
  },
);

test('O09: 64-bit integers are exact through codec, store, join and the JSON of the command line', async () => {
  await withFolder(async (folder) => {
    const data = join(folder, 'log');
    const values = [73_314_510_714_175_488n, -9_223_372_036_854_775_808n, 2n ** 53n + 1n, 2n ** 63n - 1n, 0n, -1n];
    const log = await openLog(lmdb(data));
    const records = values.map((value, i) => ({ key: `k${i}`, value, timestamp: i + 1 }));
    await log.append(
      others,
      records.map((record) => ({ ...record, timestamp: 0 })),
    );
    await log.append(integers, records);
    await log.append(
      numbered,
      values.map((value) => ({ key: value, value })),
    );
    const app = await start('integers', data);
    await app.settled();
    expect(await pairs(log, integers)).toEqual(records.map(({ key, value }) => [key, value]));
    expect(await pairs(log, joined)).toEqual(records.map(({ key, value }) => [key, { n: value, other: value, sum: value + value }]));
    expect(await Promise.all(records.map(({ key }) => app.store(lasts).get(key)))).toEqual(values);
    const sorted: bigint[] = [];
    for await (const [key, value] of app.store(inOrder).range()) if (key === value) sorted.push(key);
    expect(sorted).toEqual([...values].sort((a, b) => (a < b ? -1 : 1)));
    await app[Symbol.asyncDispose]();
    await log[Symbol.asyncDispose]();
    const lines = await stoplog('tail', 'integers', '--until-end', '--json', '--log', `lmdb:${data}`);
    expect(lines.map((line) => (JSON.parse(line) as { readonly value: unknown }).value)).toEqual(values.map((value) => ({ bigint: String(value) })));
  });
});
