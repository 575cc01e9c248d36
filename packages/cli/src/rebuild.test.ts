/** `stoplog rebuild` as a person runs it: plan, build, compare, swap, undo, while the pipeline runs or stands still. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { starting, stoplog } from './fixtures/command-line.ts';

const [ONE, TWO] = [1, 2].map((version) => fileURLToPath(new URL(`./fixtures/words-${version}.pipeline.mjs`, import.meta.url))) as [string, string];
const folder = mkdtempSync(join(tmpdir(), 'stoplog-rebuild-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const append = (text: string): Promise<unknown> => stoplog(folder, ['append', 'lines', '--key', 'l', '--pipeline', ONE], text);
const run = async (file: string): Promise<void> => {
  const running = starting(folder, ['run', file, '--threads', '1', '--json']);
  await running.said('"state":"running"');
  await running.said('"lag":0');
  running.signal('SIGINT');
  expect((await running.finished).code).toBe(0);
};
const counted = async (): Promise<Record<string, number>> => {
  const { out } = await stoplog(folder, ['tail', 'counts', '--until-end', '--json']);
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly key: string; readonly value: number });
  return Object.fromEntries(lines.map(({ key, value }) => [key, value]));
};
const rebuild = (...args: readonly string[]): ReturnType<typeof stoplog> => stoplog(folder, ['rebuild', ...args]);

describe('a word count that takes To and to for two words', () => {
  test('a dry run tells what would be replayed, and changes nothing', async () => {
    await append('To be or\nnot to be\n');
    await run(ONE);
    const planned = await rebuild('by-word', '--pipeline', TWO, '--dry-run');
    expect(planned).toMatchObject({
      code: 0,
      err: expect.stringContaining("store 'by-word' goes from version 1 to 2: 2 records would be replayed. Nothing was changed"),
    });
    expect((await rebuild('status')).err).toContain('no store of lmdb:./data is being rebuilt, and none is kept');
  });
  test('the new version is built beside the old one, and the differences show the records behind them', async () => {
    const built = await rebuild('by-word', '--pipeline', TWO);
    expect(built).toMatchObject({
      code: 0,
      err: expect.stringContaining("by-word@2 is built, and does not serve yet: look at it with --diff, then 'stoplog rebuild swap"),
    });
    expect((await rebuild('status')).out).toMatch(/word-count +by-word@2 +stands still +0\n/);
    const { out } = await rebuild('by-word', '--pipeline', TWO, '--diff');
    expect(out.split('\n')).toEqual([
      'by-word  "To"  - 1',
      'by-word  "to"  1 → 2  (words[0]@0, words[0]@4)',
      'by-word: 0 added, 1 removed, 1 changed, of 4 entries',
      '',
    ]);
    const json = (await rebuild('by-word', '--pipeline', TWO, '--diff', '--json')).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(json).toContainEqual({
      store: 'by-word',
      partition: 0,
      key: 'to',
      kind: 'changed',
      before: 1,
      after: 2,
      records: [0, 4].map((offset) => ({ topic: 'words', partition: 0, offset })),
    });
  });
  test('a swap while the old program runs stops that program, and what comes later is counted by the new one', async () => {
    const old = starting(folder, ['run', ONE, '--threads', '1']);
    await old.said('running in');
    await append('TO go\n');
    const swapped = await rebuild('swap', 'by-word', '--pipeline', TWO);
    expect(swapped).toMatchObject({ code: 0, err: expect.stringContaining("'by-word' serves at version 2") });
    expect(await old.finished).toMatchObject({ code: 1, err: expect.stringContaining('STOPLOG_STORE_VERSION') });
    await append('to stay\n');
    await run(TWO);
    expect(await counted()).toMatchObject({ to: 4, stay: 1 });
    expect((await rebuild('status')).out).toMatch(/word-count +by-word@1 +kept until \S+Z/);
  });
  test('an undo by the earlier program takes the earlier version back, with the records that came since', async () => {
    expect(await rebuild('undo', 'by-word', '--pipeline', TWO)).toMatchObject({
      code: 1,
      err: expect.stringContaining('STOPLOG_REBUILD  there is nothing to exchange'),
    });
    expect(await rebuild('undo', 'by-word', '--pipeline', ONE)).toMatchObject({ code: 0, err: expect.stringContaining("'by-word' serves at version 1") });
    await append('To to\n');
    await run(ONE);
    expect(await counted()).toMatchObject({ To: 2, to: 3 });
  });
  test('what lies beside a store is deleted on request, and the store stays', async () => {
    expect(await rebuild('cancel', 'by-word')).toMatchObject({ code: 0, err: expect.stringContaining("by-word@2 of pipeline 'word-count': would be deleted") });
    expect(await rebuild('cancel', 'by-word', '--execute')).toMatchObject({ code: 0, err: expect.stringContaining('deleted') });
    expect(await rebuild('cancel', 'by-word')).toMatchObject({ code: 1, err: expect.stringContaining("STOPLOG_REBUILD  nothing lies beside store 'by-word'") });
    expect((await stoplog(folder, ['groups', '--json'])).out).not.toContain('#');
    expect((await stoplog(folder, ['check'])).code).toBe(0);
  });
  test.each([
    [['by-word'], '--pipeline is missing'],
    [['other', '--pipeline', TWO], "does not rebuild 'other'"],
    [['by-word', '--pipeline', TWO, '--to', '3'], 'the program declares version 2'],
    [['by-word', '--pipeline', TWO, '--from', 'yesterday'], "--from is 'yesterday'"],
    [['undo', 'by-word', '--pipeline', TWO], 'which comes after the one that serves'],
  ])('%j is refused', async (args, what) => {
    expect(await rebuild(...args)).toMatchObject({ code: 2, err: expect.stringContaining(what) });
  });
});
