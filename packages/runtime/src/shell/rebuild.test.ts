/** A pipeline that is run again, renamed or extended counts each record once, or is refused with an error: it never counts twice. */
import { openLog } from '@stoplog/core';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { loadTools } from '@stoplog/core/tools';
import { run, type App } from '@stoplog/runtime';
import { expect, test } from 'vitest';
import { withFolder } from './fixtures/child.ts';
import { lines, perWord } from './fixtures/words.pipeline.mjs';

const start = (folder: string, query = ''): Promise<App> =>
  run(new URL(`./fixtures/words.pipeline.mjs${query}`, import.meta.url), { log: lmdb(folder), threads: 1, logger: 'none' });
const countOfTo = async (folder: string): Promise<number | undefined> => {
  await using app = await start(folder);
  await app.settled();
  return await app.store(perWord).get('to');
};
const withLine = (use: (folder: string) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    await using log = await openLog(lmdb(folder));
    await log.append(lines, [{ key: 'l', value: 'to be or not to be' }]);
    await use(folder);
  });
const deleteGroup = async (folder: string, group: string): Promise<void> => {
  const module = await loadTools(lmdb(folder));
  const log = await openPort(lmdb(folder));
  try {
    await module.deleteGroup(log, group);
  } finally {
    await log[Symbol.asyncDispose]();
  }
};

test('a word count whose group was deleted counts the same when it runs again', () =>
  withLine(async (folder) => {
    expect(await countOfTo(folder)).toBe(2);
    await deleteGroup(folder, 'word-count');
    expect(await countOfTo(folder)).toBe(2);
  }));
test('a second pipeline may not send records through the topic of a first; with its own topic it runs, and the first continues', () =>
  withLine(async (folder) => {
    expect(await countOfTo(folder)).toBe(2);
    await expect(start(folder, '?name=word-count-2')).rejects.toMatchObject({
      code: 'STOPLOG_TOPIC_OWNER',
      facts: { topic: 'words', owner: 'word-count', wanted: 'word-count-2' },
    });
    await using second = await start(folder, '?name=word-count-2&topic=words-2');
    await second.settled();
    expect(await countOfTo(folder)).toBe(2);
  }));
