/** `stoplog store` reads what a pipeline has folded, while it stands still. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { starting, stoplog } from './fixtures/command-line.ts';

const PIPELINE = fileURLToPath(new URL('./fixtures/words-1.pipeline.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'stoplog-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const store = (...args: readonly string[]): ReturnType<typeof stoplog> => stoplog(folder, ['store', ...args]);

beforeAll(async () => {
  await stoplog(folder, ['append', 'lines', '--key', 'l', '--pipeline', PIPELINE], 'to be or not to be\n7 times tot\n');
  const running = starting(folder, ['run', PIPELINE, '--threads', '1', '--json']);
  await running.said('"state":"running"');
  await running.said('"lag":0');
  running.signal('SIGINT');
  await running.finished;
}, 60_000);

test('stores are listed with their version and their pipeline', async () => {
  expect((await store()).out).toBe('STORE    VERSION  PIPELINE\nby-word        1  word-count\n');
  expect(JSON.parse((await store('list', '--json')).out)).toEqual([{ store: 'by-word', version: 1, pipeline: 'word-count' }]);
});
test('the value of a key is printed, and a key that is not there is told with the exit code 1', async () => {
  expect(await store('get', 'by-word', 'to')).toMatchObject({ code: 0, out: '2\n' });
  expect(await store('get', 'by-word', '"7"', '--json')).toMatchObject({ code: 0, out: '{"key":"7","value":1}\n' });
  expect(await store('get', 'by-word', '7')).toMatchObject({ code: 1, out: '', err: expect.stringContaining(`has no key 7; the text is '"7"'`) });
});
test('entries are printed in the order of their keys, within bounds, by prefix, up to a limit', async () => {
  const keys = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await store('range', 'by-word', ...args)).out
      .trim()
      .split('\n')
      .map((line) => line.split('  ')[0]!);
  expect(await keys()).toEqual(['"7"', '"be"', '"not"', '"or"', '"times"', '"to"', '"tot"']);
  expect(await keys('--prefix', 'to')).toEqual(['"to"', '"tot"']);
  expect(await keys('--gte', 'not', '--lt', 'to')).toEqual(['"not"', '"or"', '"times"']);
  expect(await keys('--limit', '1')).toEqual(['"7"']);
});
test.each([
  [['get', 'by-wrod', 'to'], "there is no store 'by-wrod' in lmdb:./data: it holds by-word. Did you mean 'by-word'?"],
  [['range', 'by-word', '--prefix', 'a', '--lt', 'b'], 'exclude each other'],
])('%j is refused', async (args, what) => {
  expect(await store(...args)).toMatchObject({ code: 2, err: expect.stringContaining(what) });
});
