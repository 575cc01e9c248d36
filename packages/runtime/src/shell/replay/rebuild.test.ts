/** A store whose version was raised is rebuilt beside the one that serves, takes its place in one commit, and can be taken back. */
import { openLog, seconds } from '@stoplog/core';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { loadTools, type GroupDescription } from '@stoplog/core/tools';
import { run, type App, type RunOptions } from '@stoplog/runtime';
import { expect, test } from 'vitest';
import { startApp, withFolder } from '../fixtures/child.ts';
import { counts, lines, perLetter, perWord } from '../fixtures/words.pipeline.mjs';

const start = (folder: string, query: string, options: Partial<RunOptions> = {}): Promise<App> =>
  run(new URL(`../fixtures/words.pipeline.mjs?${query}`, import.meta.url), { log: lmdb(folder), threads: 1, logger: 'none', ...options });
const append = async (folder: string, ...texts: readonly string[]): Promise<void> => {
  await using log = await openLog(lmdb(folder));
  await log.append(
    lines,
    texts.map((value, i) => ({ key: `l${i}`, value })),
  );
};
const groupsOf = async (folder: string): Promise<readonly GroupDescription[]> => {
  const tools = await loadTools(lmdb(folder));
  const log = await openPort(lmdb(folder));
  try {
    return await tools.groups(log);
  } finally {
    await log[Symbol.asyncDispose]();
  }
};
/** The records of the topic that the counts are written to. */
const written = async (folder: string): Promise<readonly string[]> => {
  await using log = await openLog(lmdb(folder));
  const found: string[] = [];
  for await (const records of log.read(counts, { from: 'earliest', until: 'end' })) for (const { key, value } of records) found.push(`${key}=${value}`);
  return found.toSorted();
};
const all = async (app: App): Promise<Record<string, number>> => {
  const found: Record<string, number> = {};
  for await (const [word, n] of app.store(perWord).range()) found[word] = n;
  return found;
};

test('a raised version is rebuilt from the beginning, with the topic between the tasks, and nothing is written twice', () =>
  withFolder(async (folder) => {
    await append(folder, 'To be or not to be', 'to do');
    {
      await using app = await start(folder, 'version=1');
      await app.settled();
      expect(await all(app)).toEqual({ To: 1, be: 2, or: 1, not: 1, to: 2, do: 1 });
    }
    const before = await written(folder);
    await append(folder, 'TO go');
    {
      await using app = await start(folder, 'version=2');
      await app.settled();
      expect(await all(app)).toEqual({ to: 4, be: 2, or: 1, not: 1, do: 1, go: 1 });
    }
    // The line that came after the first version, and nothing of the lines that it had processed.
    expect(await written(folder)).toEqual([...before, 'go=1', 'to=4'].toSorted());
    const [live, kept] = await groupsOf(folder);
    expect(live).toMatchObject({ group: 'word-count', owns: ['words'], stores: [{ store: perWord.name, version: 2 }] });
    expect(kept).toMatchObject({ group: `word-count#${perWord.name}@1`, owns: [`words#${perWord.name}@1`], keptUntil: expect.any(Number) });
  }));

test('the program of the version before takes it up again where it was, and the other way round', () =>
  withFolder(async (folder) => {
    await append(folder, 'To be');
    for (const [query, line, expected] of [
      ['version=1', 'To do', { To: 2, be: 1, do: 1 }],
      ['version=2', 'To go', { to: 3, be: 1, do: 1, go: 1 }],
      ['version=1', 'TO', { To: 3, TO: 1, be: 1, do: 1, go: 1 }],
      ['version=2', 'tO', { to: 5, be: 1, do: 1, go: 1 }],
    ] as const) {
      await append(folder, line);
      await using app = await start(folder, query);
      await app.settled();
      expect(await all(app)).toEqual(expected);
    }
    expect((await written(folder)).filter((one) => one === 'go=1')).toHaveLength(1);
  }));

test('a new store of a pipeline that has read its records is filled with all of them', () =>
  withFolder(async (folder) => {
    await append(folder, 'to be', 'or not');
    {
      await using app = await start(folder, 'version=1');
      await app.settled();
    }
    await append(folder, 'to be');
    await using app = await start(folder, 'letters');
    await app.settled();
    expect(await app.store(perLetter).get('l0')).toBe(2);
    expect(await all(app)).toEqual({ to: 2, be: 2, or: 1, not: 1 });
  }));

test('what was replaced is deleted when its time is over, and can then not be taken up again', () =>
  withFolder(async (folder) => {
    await append(folder, 'to be');
    for (const query of ['version=1', 'version=2']) {
      await using app = await start(folder, query, { rebuild: { keep: seconds(0.001) } });
      await app.settled();
    }
    expect((await groupsOf(folder)).map(({ group }) => group)).toHaveLength(2);
    {
      await using app = await start(folder, 'version=2');
      await app.settled();
    }
    expect((await groupsOf(folder)).map(({ group }) => group)).toEqual(['word-count']);
    await expect(start(folder, 'version=1')).rejects.toMatchObject({ code: 'STOPLOG_STORE_VERSION', message: expect.stringContaining('version: 3') });
  }));

test('a changed schema under the same version is refused with the way out', () =>
  withFolder(async (folder) => {
    await append(folder, 'to be');
    {
      await using app = await start(folder, 'version=1');
      await app.settled();
    }
    await expect(start(folder, 'version=1&text')).rejects.toMatchObject({
      code: 'STOPLOG_STORE_VERSION',
      message: expect.stringContaining('declare version: 2, which is built by replay'),
    });
    // The values that serve are of another schema: they are not handed out as the declared ones.
    await using app = await start(folder, 'version=2&text');
    await expect(app.store(perWord).get('to')).rejects.toMatchObject({ code: 'STOPLOG_REBUILD' });
    await app.settled();
    expect(await app.store(perWord).get('to')).toBe('1');
  }));

test('a version that is lower than the one that serves, and not kept, is refused', () =>
  withFolder(async (folder) => {
    await append(folder, 'to be');
    {
      await using app = await start(folder, 'version=3');
      await app.settled();
    }
    await expect(start(folder, 'version=2')).rejects.toMatchObject({ code: 'STOPLOG_STORE_VERSION', facts: { recorded: 3, declared: 2 } });
  }));

test('a handler that throws at an old record stops the rebuild, and what served until then is read as before', () =>
  withFolder(async (folder) => {
    await append(folder, 'to be');
    {
      await using app = await start(folder, 'version=1');
      await app.settled();
    }
    {
      await using app = await start(folder, 'version=2&throws=be');
      await expect(app.settled()).rejects.toMatchObject({ code: 'STOPLOG_HANDLER', message: expect.stringContaining('no be') });
      expect(await all(app)).toEqual({ to: 1, be: 1 });
    }
    await using mended = await start(folder, 'version=2');
    await mended.settled();
    expect(await all(mended)).toEqual({ to: 1, be: 1 });
  }));

test('a topic that has lost its first records is not replayed unless the program says so', () =>
  withFolder(async (folder) => {
    await append(folder, 'to be', 'or not');
    {
      await using app = await start(folder, 'version=1');
      await app.settled();
    }
    const log = await openPort(lmdb(folder));
    await log.deleteRecords([{ topic: 'lines', partition: 0, offset: 1n }]);
    await log[Symbol.asyncDispose]();
    await expect(start(folder, 'version=2')).rejects.toMatchObject({ code: 'STOPLOG_REBUILD', facts: { topic: 'lines', start: 1n } });
    await using app = await start(folder, 'version=2', { rebuild: { from: 'earliest' } });
    await app.settled();
    expect(await all(app)).toEqual({ or: 1, not: 1 });
  }));

test(
  'a new version takes over from a process that still runs the old one, while records are appended',
  () =>
    withFolder(async (folder) => {
      await append(folder, ...Array.from({ length: 3_000 }, (_, i) => `Word${i % 50} word${i % 7}`));
      const old = startApp(folder, 'words.pipeline.mjs?version=1', { threads: 1 });
      await old.said('running');
      await using log = await openLog(lmdb(folder));
      let appended = 3_000;
      let isOver = false;
      const load = (async () => {
        for (; !isOver; appended += 50) {
          const values = Array.from({ length: 50 }, (_, i) => `Word${i} word${i % 7}`);
          await log.append(
            lines,
            values.map((value, i) => ({ key: `l${i}`, value })),
          );
        }
      })();
      await using app = await start(folder, 'version=2');
      for await (const event of app.events) if (event.type === 'rebuilt' || event.type === 'rebuild-failed') break;
      isOver = true;
      await load;
      await app.settled();
      const counted = await all(app);
      expect(Object.values(counted).reduce((sum, n) => sum + n, 0)).toBe(2 * appended);
      expect(Object.keys(counted).filter((word) => word !== word.toLowerCase())).toEqual([]);
      // A record of every word came after the exchange or before it, and none in between is missing from the output.
      const last = new Map<string, number>();
      for await (const records of log.read(counts, { from: 'earliest', until: 'end' })) for (const { key, value } of records) last.set(key, value!);
      const { lines: said } = await old.ended;
      expect(said.at(-1)).toContain('STOPLOG_STORE_VERSION');
      const before = new Set([...last.keys()].filter((word) => word !== word.toLowerCase()));
      expect(before.size).toBe(50);
      for (const [word, n] of last) if (!before.has(word)) expect([word, n]).toEqual([word, counted[word]]);
    }),
  60_000,
);
