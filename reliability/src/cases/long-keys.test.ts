/** F22: LMDB takes 4,026 bytes of key. A pipeline that counts and joins by keys of 100 KB works all the same. */
import { openLog } from '@stoplog/core';
import { openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { expect, test } from 'vitest';
import { PROGRAMS } from '../harness/child.ts';
import { withFolder } from '../harness/folder.ts';
import { counts, named, names, visits } from './long-keys.pipeline.ts';

test('F22: a pipeline counts, joins and compacts by keys of 100 KB that differ in their last letter, also after a restart', async () => {
  await withFolder(async (folder) => {
    const keys = ['a', 'b', 'c'].map((last) => 'k'.repeat(100_000) + last);
    const log = await openLog(lmdb(folder));
    await log.append(
      names,
      [...keys, ...keys].map((key, i) => ({ key, value: `${key.at(-1)}${i}` })),
    );
    const port = await openPort(lmdb(folder));
    const cleaned = await (await loadTools(lmdb(folder))).clean(port, { topics: ['names'], roll: true });
    await port[Symbol.asyncDispose]();
    expect(cleaned.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(3);
    for (const incarnation of [1, 2]) {
      await log.append(
        visits,
        keys.map((key) => ({ key, value: `visit ${incarnation}` })),
      );
      const app = await run(new URL(`file://${PROGRAMS}cases/long-keys.pipeline.js`), { log: lmdb(folder), threads: 1, logger: 'none' });
      await app.settled();
      expect(await Promise.all(keys.map((key) => app.store(counts).get(key)))).toEqual([incarnation, incarnation, incarnation]);
      const found: string[] = [];
      for await (const [key, count] of app.store(counts).range()) found.push(`${key.slice(99_999)}: ${count}`);
      expect(found).toEqual([`ka: ${incarnation}`, `kb: ${incarnation}`, `kc: ${incarnation}`]);
      await app[Symbol.asyncDispose]();
    }
    const joined: string[] = [];
    for await (const batch of log.read(named, { from: 'earliest', until: 'end' })) joined.push(...batch.map(({ key, value }) => `${key.at(-1)}: ${value}`));
    await log[Symbol.asyncDispose]();
    expect(joined.sort()).toEqual([1, 2].flatMap((incarnation) => ['a3', 'b4', 'c5'].map((name) => `${name[0]}: visit ${incarnation} by ${name}`)).sort());
  });
});
