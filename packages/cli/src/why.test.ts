/** `stoplog why` as a person runs it, on a word count. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Finished, starting, stoplog } from './fixtures/command-line.ts';

const WORDS = fileURLToPath(new URL('./fixtures/words-1.pipeline.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'stoplog-why-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const append = (text: string): Promise<unknown> => stoplog(folder, ['append', 'lines', '--key', 'l', '--pipeline', WORDS], text);
const why = (...args: readonly string[]): Promise<Finished> => stoplog(folder, ['why', ...args, '--pipeline', WORDS]);

beforeAll(async () => {
  await append('to be or\nnot to be\n');
  const running = starting(folder, ['run', WORDS, '--threads', '1', '--json']);
  await running.said('"state":"running"');
  await running.said('"lag":0');
  running.signal('SIGINT');
  await running.finished;
});

describe('stoplog why', () => {
  test('shows the records of the key, with the topic that holds them', async () => {
    const { code, out, err } = await why('by-word', 'to');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.replaceAll(/^\S+Z/gm, 'TIME')).toBe('TIME  words[0]@0  to  to\nTIME  words[0]@4  to  to\n');
  });
  test('shows the last ones with --limit, as JSON with --json', async () => {
    const { out } = await why('by-word', 'be', '--limit', '1', '--json');
    expect(JSON.parse(out)).toMatchObject({ topic: 'words', partition: 0, offset: 5, key: 'be', value: 'be' });
  });
  test('says that there is no record, and which records are gone', async () => {
    expect(await why('by-word', 'question')).toEqual({
      code: 0,
      out: '',
      err: "no record of 'question' in words[0] has reached store 'by-word'\n",
    });
  });
  test.each([
    [['by-word', 'to'], '--pipeline is missing'],
    [['by-line', 'to', '--pipeline', WORDS], "pipeline 'word-count' has no store 'by-line': it has 'by-word'"],
    [['by-word', '--pipeline', WORDS], "'stoplog why' needs a key"],
    [['by-word', 'to', '--pipeline', WORDS, '--limit', '0'], "--limit is '0'"],
  ])('%j is refused', async (args, what) => {
    expect(await stoplog(folder, ['why', ...args])).toMatchObject({ code: 2, err: expect.stringContaining(what) });
  });
});
