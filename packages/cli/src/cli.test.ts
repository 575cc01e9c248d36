/** The built command, as a person or a script runs it. Each subcommand runs once in its own process; the other tests share one process. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Finished, program, starting, stoplog } from './fixtures/command-line.ts';
import typed from './fixtures/tickets.pipeline.ts';

const TYPESCRIPT = fileURLToPath(new URL('./fixtures/tickets.pipeline.ts', import.meta.url));
/** A pipeline in JavaScript, which starts faster. */
const PIPELINE = fileURLToPath(new URL('./fixtures/tickets.pipeline.mjs', import.meta.url));
const ticket = (id: string): string => JSON.stringify({ id, state: 'open' });
const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `${ticket(`t${i}`)}\n`).join('');
const jsonLines = (text: string): readonly Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-cli-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe('help', () => {
  test('help of the command shows examples first, every command, and the exit codes', async () => {
    const { code, out } = await program(newFolder(), ['--help']);
    expect(code).toBe(0);
    expect(out.startsWith('Examples')).toBe(true);
    for (const word of ['run', 'describe', 'topics', 'tail', 'append', 'compact', 'Exit codes']) expect(out).toContain(word);
  });
  test('help of a command is shown even if the rest of the line is wrong', async () => {
    const { code, out } = await stoplog(newFolder(), ['tail', 'whatever', '--form', '--help']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^stoplog tail: .*\n\nExamples\n/)]);
  });
  test('--version prints only the version', async () => {
    expect((await stoplog(newFolder(), ['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

test('a wrong command line exits with 2, explains itself on standard error and touches nothing', async () => {
  const folder = newFolder();
  const [command, option, log] = await Promise.all([
    program(folder, ['tial']),
    stoplog(folder, ['tail', 'x', '--form', 'earliest']),
    stoplog(folder, ['topics', '--log', 'kafka://b1:9092']),
  ]);
  expect(command).toEqual({ code: 2, out: '', err: expect.stringMatching(/^STOPLOG_USAGE {2}there is no command 'tial'\. Did you mean 'tail'\?/) });
  expect(option).toEqual({ code: 2, out: '', err: expect.stringMatching(/^STOPLOG_USAGE .*no option --form\. Did you mean '--from'\?[^\n]*\n$/) });
  expect(log).toEqual({ code: 2, out: '', err: expect.stringMatching(/no log of the kind 'kafka', only lmdb: give --log lmdb:FOLDER/) });
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

describe('describe', () => {
  test('describe draws a TypeScript pipeline and its stores without a log', async () => {
    const folder = newFolder();
    const { code, out } = await program(folder, ['describe', TYPESCRIPT]);
    expect(code).toBe(0);
    expect(out.startsWith(`${typed.name}  `)).toBe(true);
    expect(out).toContain('tickets ─ filter ─ count count-by-key ─▶ ticket-counts');
    expect(out).toMatch(/store {2}count-by-key {2}task 0 {2}version 1, key: string, value: integer/);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
  test('describe prints the same pipeline as mermaid and as JSON', async () => {
    const [mermaid, json] = await Promise.all(['--mermaid', '--json'].map((form) => stoplog(newFolder(), ['describe', PIPELINE, form])));
    expect(mermaid!.out).toMatch(/^flowchart LR\n/);
    expect(JSON.parse(json!.out)).toMatchObject({ pipeline: 'tickets', tasks: [{ task: 0, partitions: 1, stores: [{ store: 'count-by-key', version: 1 }] }] });
  });
  test('describe explains a module without a pipeline and a missing file; STOPLOG_DEBUG adds the stack', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'empty.mjs'), 'export const nothing = 1; setInterval(() => {}, 1000);');
    // In its own process: the module's timer must not keep the process alive.
    const nothing = await program(folder, ['describe', 'empty.mjs']);
    expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining('STOPLOG_PIPELINE_MODULE  empty.mjs has no default export')]);
    const missing = await stoplog(folder, ['describe', 'missing.ts'], '', { STOPLOG_DEBUG: '1' });
    expect(missing.err).toMatch(/^ {2}docs\/reference\/errors\.md#stoplog_\w+$/m);
    expect([missing.code, missing.err]).toEqual([1, expect.stringMatching(/there is no file .*missing\.ts(.|\n)* {4}at /)]);
  });
});

describe('backup, restore and compact --shrink', () => {
  test('the three commands copy a log, restore it elsewhere and shrink it, with reports in JSON', async () => {
    const folder = newFolder();
    await stoplog(folder, ['append', 'tickets', '--key-field', 'id', '--pipeline', PIPELINE], numbered(5));
    const made = await stoplog(folder, ['backup', '--to', 'copy', '--json']);
    expect([made.code, made.err]).toEqual([0, expect.stringMatching(/^lmdb:\.\/data backed up to copy as of .*Z: [\d ]+ bytes, \d+ entries, verified, in /)]);
    expect(JSON.parse(made.out)).toMatchObject({ path: expect.stringMatching(/copy$/), sha256: expect.stringMatching(/^[0-9a-f]{64}$/), entries: { log: 1 } });
    const back = await stoplog(folder, ['restore', 'copy', '--log', 'lmdb:./back', '--json']);
    expect([back.code, JSON.parse(back.out)]).toEqual([0, expect.objectContaining({ taken: (JSON.parse(made.out) as { readonly taken: string }).taken })]);
    const shrunk = await stoplog(folder, ['compact', '--shrink', '--log', 'lmdb:./back', '--json']);
    expect([shrunk.code, JSON.parse(shrunk.out)]).toEqual([0, expect.objectContaining({ bytes: expect.any(Number), bytesBefore: expect.any(Number) })]);
    const [described, refused] = await Promise.all([
      stoplog(folder, ['describe', '--log', 'lmdb:./back', '--json']),
      stoplog(folder, ['restore', 'copy', '--log', 'lmdb:./back']),
    ]);
    expect(JSON.parse(described.out)).toMatchObject({
      freePages: expect.any(Number),
      partitions: expect.arrayContaining([expect.objectContaining({ topic: 'tickets' })]),
    });
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('back is not empty, and nothing is written over')]);
  });
});

describe('tools on a folder that holds no log', () => {
  test('a tool reports that there is no log, and makes none', async () => {
    const folder = newFolder();
    for (const { code, err } of await Promise.all([['topics'], ['tail', 'x'], ['append', 'x', '--key', 'a']].map((args) => stoplog(folder, args)))) {
      expect([code, err]).toEqual([1, expect.stringMatching(/^STOPLOG_LOG_UNAVAILABLE {2}there is no log in .*data: check the path/)]);
    }
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
});

describe('append, topics and tail', () => {
  let folder: string;
  let made: Finished;
  beforeAll(async () => {
    folder = newFolder();
    made = await program(folder, ['append', 'tickets', '--key-field', 'id', '--pipeline', PIPELINE], numbered(5));
    await stoplog(
      folder,
      ['append', 'ticket-counts', '--json', '--pipeline', PIPELINE],
      '{"key":"gone","value":3}\n{"key":"gone","value":null,"timestamp":1000,"headers":[{"name":"why","value":"old\\u001b[2J"},{"name":"n","value":null}]}\n',
    );
    await stoplog(folder, ['append', 'blobs', '--key', 'raw\u009bkey', '--pipeline', PIPELINE], new Uint8Array([0, 255, 13, 10, 0xe2, 0x80, 0xa8]));
  });

  test('append prints the number of acknowledged records', () => {
    expect(made).toEqual({ code: 0, out: '', err: '5 records appended to tickets\n' });
  });
  test('topics lists topics with their counts, in columns and as JSON', async () => {
    const [plain, json, partitions] = await Promise.all([
      stoplog(folder, ['topics']),
      stoplog(folder, ['topics', '--json']),
      program(folder, ['topics', '--partitions']),
    ]);
    const text = plain.out.split('\n');
    expect(text[0]).toMatch(/^TOPIC +PARTITIONS +CLEANUP +KEY +VALUE +RECORDS$/);
    expect(text.find((line) => line.startsWith('tickets'))).toMatch(/^tickets +1 +delete +json +json +5$/);
    expect(JSON.parse(json.out)).toContainEqual(
      expect.objectContaining({ topic: 'ticket-counts', cleanup: 'compact', records: 2, offsets: [{ partition: 0, start: 0, end: 2 }] }),
    );
    expect(partitions.out).toMatch(/tickets +0 +0 +5 +5\n/);
  });
  test('compact reports freed and kept bytes, in columns and as JSON', async () => {
    const other = newFolder();
    for (const count of [1, 2, 3]) await stoplog(other, ['append', 'ticket-counts', '--json', '--pipeline', PIPELINE], `{"key":"a","value":${count}}\n`);
    const nothing = await program(other, ['compact', '--topic', 'ticket-counts']);
    expect(nothing.out).toMatch(/^TOPIC +PARTITION +START +COMPACTED +BYTES FREED +BYTES KEPT\nticket-counts +0 +0 +0 +0 +\d+\n\n0 bytes freed, \d+ kept\n$/);
    const json = await stoplog(other, ['compact', '--roll', '--json']);
    expect(JSON.parse(json.out)).toContainEqual(
      expect.objectContaining({ topic: 'ticket-counts', partition: 0, startBefore: 0, start: 0, recordsDropped: 2, recordsKept: 1 }),
    );
    expect(jsonLines((await stoplog(other, ['tail', 'ticket-counts', '--until-end', '--json'])).out).map(({ offset, value }) => [offset, value])).toEqual([
      [2, 3],
    ]);
    expect((await stoplog(other, ['compact', '--topic', 'nowhere'])).err).toMatch(/^STOPLOG_TOPIC_UNKNOWN/);
  });
  test('tail shows time, partition, offset, key and value; append reads the JSON that tail prints', async () => {
    const [text, json] = await Promise.all([
      stoplog(folder, ['tail', 'tickets', '--until-end']),
      stoplog(folder, ['tail', 'tickets', '--until-end', '--json', '--key', 't3']),
    ]);
    expect(text.code).toBe(0);
    expect(text.out.split('\n')[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}\[0\]@0 {2}t0 {2}\{"id":"t0","state":"open"\}$/);
    expect(jsonLines(json.out)).toEqual([
      expect.objectContaining({ topic: 'tickets', partition: 0, offset: 3, key: 't3', value: { id: 't3', state: 'open' } }),
    ]);
    const other = newFolder();
    const copied = await stoplog(other, ['append', 'tickets', '--json', '--pipeline', PIPELINE], json.out);
    expect(copied.err).toBe('1 record appended to tickets\n');
    expect(jsonLines((await stoplog(other, ['tail', 'tickets', '--until-end', '--json'])).out)[0]).toEqual({ ...jsonLines(json.out)[0], offset: 0 });
  });
  test('tail begins at --from and ends at --limit', async () => {
    const ids = async (...args: string[]): Promise<unknown> =>
      jsonLines((await stoplog(folder, ['tail', 'tickets', '--json', ...args])).out).map(({ key }) => key);
    const found = [ids('--from', 'offset 3', '--until-end'), ids('--from', '2001-01-01', '--limit', '1'), ids('--from', '2901-01-01T00:00:00Z', '--until-end')];
    expect(await Promise.all(found)).toEqual([['t3', 't4'], ['t0'], []]);
    const beyond = await stoplog(folder, ['tail', 'tickets', '--from', '99', '--until-end']);
    expect([beyond.code, beyond.err]).toEqual([1, expect.stringContaining('STOPLOG_OFFSET_OUT_OF_RANGE')]);
  });
  test('tail shows tombstones, headers and bytes, and escapes the control characters of a terminal', async () => {
    const counts = (await stoplog(folder, ['tail', 'ticket-counts', '--until-end'])).out.split('\n');
    expect(counts[1]).toBe('1970-01-01T00:00:01.000Z  [0]@1  gone  (tombstone)  why=old\\u001b[2J  n=(null)');
    const json = jsonLines((await stoplog(folder, ['tail', 'ticket-counts', '--until-end', '--json'])).out);
    expect(json[1]).toMatchObject({
      value: null,
      tombstone: true,
      headers: [
        { name: 'why', value: 'old\u001b[2J' },
        { name: 'n', value: null },
      ],
    });
    const blobs = (await stoplog(folder, ['tail', 'blobs', '--until-end'])).out.split('\n');
    expect(blobs.map((line) => line.split('  ').slice(2).join('  '))).toEqual(['raw\\u009bkey  (2 bytes) 00ff', 'raw\\u009bkey  (3 bytes) e280a8', '']);
  });
  test('tail of a missing topic suggests the topic that was probably meant', async () => {
    const { code, err } = await stoplog(folder, ['tail', 'tickts']);
    expect([code, err]).toEqual([1, expect.stringMatching(/^STOPLOG_TOPIC_UNKNOWN .*Did you mean 'tickets'\?/)]);
  });
  test('tail waits for more records until Ctrl-C ends it with exit code 0', async () => {
    const waiting = starting(folder, ['tail', 'tickets', '--from', 'earliest']);
    await waiting.said('t4');
    await stoplog(folder, ['append', 'tickets', '--key-field', 'id'], ticket('late'));
    await waiting.said('"late"');
    waiting.signal('SIGINT');
    expect((await waiting.finished).code).toBe(0);
  });
  test('tail returns the exit code of the signal if it is interrupted before its end', async () => {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const waiting = starting(folder, ['tail', 'tickets', '--from', 'earliest', '--limit', '1000']);
      await waiting.said('t4');
      waiting.signal(signal);
      expect(await waiting.finished).toMatchObject({ code, err: 'interrupted: not all was shown\n' });
    }
  });
  test('tail finds a key by its printed form and by its JSON, and a key of bytes also by its text', async () => {
    const texts = ['t3', '"t3"', '"t3', '3'].map(
      async (key) => jsonLines((await stoplog(folder, ['tail', 'tickets', '--until-end', '--json', '--key', key])).out).length,
    );
    expect(await Promise.all(texts)).toEqual([1, 1, 0, 0]);
    const other = newFolder();
    await stoplog(other, ['topics', 'create', 'raw', '--key-codec', 'bytes', '--value-codec', 'bytes', '--partitions', '1']);
    for (const key of ['k', 'l']) await stoplog(other, ['append', 'raw', '--key', key], `of ${key}`);
    const found = ['k', '(1 byte) 6b', '{"hex": "6b"}', 'm'].map(
      async (key) => jsonLines((await stoplog(other, ['tail', 'raw', '--until-end', '--json', '--key', key])).out).length,
    );
    expect(await Promise.all(found)).toEqual([1, 1, 1, 0]);
  });
  test('tail ends quietly when its reader closes the pipe', async () => {
    const big = newFolder();
    await stoplog(big, ['append', 'tickets', '--key-field', 'id', '--pipeline', PIPELINE], numbered(30_000));
    const piped = starting(big, ['tail', 'tickets', '--from', 'earliest']);
    await piped.said('t9');
    piped.hangUp();
    expect(await piped.finished).toMatchObject({ code: 0, err: '' });
  });
});

describe('append', () => {
  test('append names the line that it refuses, and counts the records acknowledged before it', async () => {
    const folder = newFolder();
    const input = `${ticket('a')}\n${ticket('b')}\n{"id":"c","state":"lost"}\n${ticket('d')}\n`;
    const declared = await stoplog(folder, ['append', 'tickets', '--key', 'k', '--pipeline', PIPELINE], input);
    expect(declared.code).toBe(1);
    expect(declared.err).toMatch(
      /^STOPLOG_SCHEMA {2}line 3: a value for topic 'tickets' does not parse: .*at state\n {2}2 records before it were appended to tickets, and acknowledged\n$/,
    );
    // Without the declaration: the schema stored in the log is used.
    const stored = await stoplog(folder, ['append', 'tickets', '--key', 'k'], input);
    expect(stored.err).toMatch(
      /line 3: a value for topic 'tickets' does not parse: .*\n {2}2 records before it .*\n {2}The schema stored with the topic .*--pipeline x\.pipeline\.ts/,
    );
    const cut = await stoplog(folder, ['append', 'tickets', '--key', 'k'], '{"id":"c","state"\n');
    expect(cut.err).toMatch(/line 1: it is not JSON \(.*\), and as text a value for topic 'tickets' does not parse: .*object/);
    const notJson = await stoplog(folder, ['append', 'tickets', '--json'], `\n{"key":"k","value":${ticket('e')}}\n{"key":\n`);
    expect(notJson.err).toMatch(/line 3: it is not JSON(.|\n)*1 record before it was appended/);
    expect(jsonLines((await stoplog(folder, ['tail', 'tickets', '--until-end', '--json'])).out)).toHaveLength(5);
  });
  test('append accepts the same lines with the declaration and with the stored schema, also if the value omits the key', async () => {
    const folder = newFolder();
    const line = '{"id":"a","state":"open","customer":"c1"}\n';
    for (const more of [['--pipeline', PIPELINE], []])
      expect((await stoplog(folder, ['append', 'tickets', '--key-field', 'customer', ...more], line)).err).toBe('1 record appended to tickets\n');
    const records = jsonLines((await stoplog(folder, ['tail', 'tickets', '--until-end', '--json'])).out);
    expect(records.map(({ key, value }) => [key, value])).toEqual(Array.from({ length: 2 }, () => ['c1', { id: 'a', state: 'open' }]));
  });
  test('an append with --expected-end adds all lines if the partition ends at that offset, else none', async () => {
    const folder = newFolder();
    const counted = (end: string, lines: string): Promise<Finished> =>
      stoplog(folder, ['append', 'ticket-counts', '--json', '--expected-end', end, '--pipeline', PIPELINE], lines);
    const line = (value: unknown): string => `${JSON.stringify({ key: 'a', value })}\n`;
    for (const end of ['18446744073709551616', '0,0']) {
      const { code, err } = await counted(end, line(1));
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(/^STOPLOG_USAGE {2}--expected-end '.*' is not where topic 'ticket-counts' can end: .*, which are 1\./),
      ]);
    }
    const [wrong, first] = [await counted('-1', line(1)), await counted('0', line(1) + line(2))];
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/^STOPLOG_USAGE .*--expected-end/)]);
    expect(first.err).toBe('2 records appended to ticket-counts\n');
    const [late, bad] = await Promise.all([counted('0', line(3)), counted('2', line(3) + line('x'))]);
    expect([late.code, late.err]).toEqual([
      1,
      expect.stringMatching(/^STOPLOG_END_MOVED {2}ticket-counts\[0\] ends at 2, and this append expects 0: .*\n {2}nothing was appended to ticket-counts\n$/),
    ]);
    expect(bad.err).toMatch(/^STOPLOG_SCHEMA {2}line 2: .*\n {2}nothing was appended/);
    expect(jsonLines((await stoplog(folder, ['tail', 'ticket-counts', '--until-end', '--json'])).out)).toHaveLength(2);
  });
  test('append makes a missing log, also when several processes do so at the same time', async () => {
    const folder = newFolder();
    const ended = await Promise.all(['a', 'b', 'c'].map((key) => program(folder, ['append', 'tickets', '--key', key, '--pipeline', PIPELINE], ticket(key))));
    expect(ended).toEqual(ended.map(() => ({ code: 0, out: '', err: '1 record appended to tickets\n' })));
    expect((await stoplog(folder, ['topics'])).out).toMatch(/tickets .* 3\n/);
  });
  test('append asks for a key if the topic needs keys, and for a declaration if the topic is missing', async () => {
    const folder = newFolder();
    const [keyless, unknown] = await Promise.all([
      stoplog(folder, ['append', 'tickets', '--pipeline', PIPELINE], 'x\n'),
      stoplog(folder, ['append', 'nothing', '--pipeline', PIPELINE], 'x\n'),
    ]);
    expect(keyless.err).toMatch(/needs keys: give --key K/);
    expect(unknown.err).toMatch(/STOPLOG_TOPIC_UNKNOWN {2}pipeline 'tickets' has no topic 'nothing'/);
    expect((await stoplog(folder, ['append', 'tickets', '--key', 'k'], 'x\n')).err).toMatch(/there is no topic 'tickets' in .*--pipeline x\.pipeline\.ts/);
  });
  test('append appends each line as it is typed, and prints the number of acknowledged records on Ctrl-C', async () => {
    const folder = newFolder();
    const typing = starting(folder, ['append', 'tickets', '--key-field', 'id', '--pipeline', PIPELINE]);
    typing.type(`${ticket('now')}\n`);
    let seen = '';
    while (!seen.includes('now')) seen = (await stoplog(folder, ['tail', 'tickets', '--until-end'])).out;
    typing.signal('SIGINT');
    expect(await typing.finished).toEqual({ code: 130, out: '', err: '1 record appended to tickets, and interrupted there\n' });
  });
});

describe('run', () => {
  test('run prints its pipeline and a status in JSON per line, drains on Ctrl-C and exits with 0', async () => {
    const folder = newFolder();
    await stoplog(folder, ['append', 'tickets', '--key', 'k', '--pipeline', PIPELINE], numbered(100));
    const running = starting(folder, ['run', TYPESCRIPT, '--threads', '1', '--json']);
    await running.said('"lag":0');
    running.signal('SIGINT');
    const { code, out, err } = await running.finished;
    expect(code).toBe(0);
    expect(err).toMatch(/^stoplog {3}tickets [0-9a-f]{12} {3}log lmdb:\.\/data {3}threads 1\n/);
    expect(err).toContain('actors 1 running in');
    expect(err).toMatch(/draining 1 actors(.|\n)*committed and closed in [\d.]+ s\n$/);
    expect(jsonLines(out).at(-1)).toMatchObject({
      state: 'running',
      lag: 0,
      lagSeconds: 0,
      drainSeconds: 0,
      failed: [],
      tasks: [{ inputs: ['tickets'], lagSeconds: 0 }],
    });
    expect((await stoplog(folder, ['tail', 'ticket-counts', '--until-end'])).out).toMatch(/k {2}100\n$/);
  });
  test('run stops a partition after five failures at one record, and then exits with 1', async () => {
    const folder = newFolder();
    await stoplog(folder, ['append', 'tickets', '--key-field', 'id', '--pipeline', PIPELINE], ticket('poison'));
    const { code, err } = await starting(folder, ['run', PIPELINE]).finished;
    expect(code).toBe(1);
    expect(err).toMatch(/task 0\[0\] failed, again in 0\.1 s: STOPLOG_HANDLER .*this ticket cannot be read/);
    expect(err).toMatch(
      /task 0\[0\] stopped after 5 failures; .*STOPLOG_HANDLER as above\. To leave the record out, .*: (stoplog groups reset .* --execute)\n/,
    );
    expect(err.split('\n').filter((line) => line.includes('cannot be read'))).toHaveLength(1);
    const described = await stoplog(folder, ['groups', 'describe', 'tickets', '--over', '0']);
    expect(described.out + described.err).toMatch(/tickets\[0\] failed for good at offset 0, .* after 5 failures: STOPLOG_HANDLER .*cannot be read/);
    const data = await stoplog(folder, ['groups', 'describe', 'tickets', '--over', '0', '--json']);
    const [failed] = (JSON.parse(data.out) as { readonly failed: readonly { readonly skip: string }[] }).failed;
    await stoplog(folder, failed!.skip.split(' ').slice(1));
    expect((await stoplog(folder, ['groups', 'describe', 'tickets', '--over', '0', '--json'])).out).toMatch(/"failed":\s*\[\]/);
  });
  test('run shows the age of the lag, and that the lag never drains while a record is stuck', async () => {
    const folder = newFolder();
    await stoplog(folder, ['append', 'tickets', '--key', 'k', '--pipeline', PIPELINE], ticket('slow'));
    const running = starting(folder, ['run', PIPELINE, '--json']);
    await running.said('busy');
    await running.said('"lag":1,');
    running.signal('SIGINT');
    await running.said('draining');
    running.signal('SIGINT');
    const { out } = await running.finished;
    const [stuck] = jsonLines(out).filter(({ lag }) => lag === 1);
    expect(stuck).toMatchObject({ lagSeconds: expect.any(Number), drainSeconds: null, tasks: [{ lag: 1, drainSeconds: null }] });
    expect(stuck!['lagSeconds']).toBeGreaterThan(0);
  });
  test('run exits at once with 130 on a second Ctrl-C, and the next run processes the interrupted record', async () => {
    const folder = newFolder();
    await stoplog(folder, ['append', 'tickets', '--key-field', 'id', '--pipeline', PIPELINE], ticket('slow'));
    const running = starting(folder, ['run', PIPELINE]);
    await running.said('busy');
    running.signal('SIGINT');
    await running.said('draining');
    running.signal('SIGINT');
    expect((await running.finished).code).toBe(130);
    expect((await stoplog(folder, ['topics'])).out).toMatch(/tickets .* 1\n/);
  });
  test('run ends when its reader closes the pipe', async () => {
    const running = starting(newFolder(), ['run', PIPELINE, '--json']);
    await running.said('"state"');
    running.hangUp();
    expect((await running.finished).code).toBe(0);
  });
  test('run explains why it cannot start', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'data'), 'not a folder');
    const { code, err } = await program(folder, ['run', PIPELINE]);
    expect([code, err]).toEqual([1, expect.stringContaining('STOPLOG_LOG_FOREIGN')]);
  });
});
