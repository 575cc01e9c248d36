/** `stoplog check` and `stoplog repair` as a script runs them: output, exit codes, and an unchanged folder. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { afterAll, expect, test } from 'vitest';
import { stoplog } from './fixtures/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'stoplog-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('check exits with 1 for a damaged log, 0 after its repair, and 2 without a log', async () => {
  const log = await openPort(lmdb(join(folder, 'data')));
  await log.ensure([
    { name: 'lines', partitions: 1, cleanup: 'delete', retentionMs: undefined, keyCodec: 'string', valueCodec: 'string', keySchema: {}, valueSchema: {} },
  ]);
  for (const text of ['first', 'SECOND', 'third']) {
    const builder = new BatchBuilder();
    builder.append('key', text, 1);
    await log.commit({ group: '', epoch: 0, appends: [{ topic: 'lines', partition: 0, batch: builder.finish() }], stores: [], positions: [] });
  }
  await log[Symbol.asyncDispose]();
  const file = join(folder, 'data', 'data.mdb');
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf('SECOND'); at >= 0; at = bytes.indexOf('SECOND', at + 1)) bytes[at] = 'X'.charCodeAt(0);
  writeFileSync(file, bytes);

  const [checked, none, noTarget] = await Promise.all([
    stoplog(folder, ['check']),
    stoplog(folder, ['check', '--log', 'lmdb:nowhere']),
    stoplog(folder, ['repair']),
  ]);
  expect(checked.code).toBe(1);
  expect(checked.out).toMatch(/^RULE +WHERE +WHAT\nchecksum +data\.mdb log lines\[0\] offset 1 +the checksum of its records does not agree\n$/);
  expect(checked.err).toMatch(/1 topic, 1 partition, 3 batches, 2 records of \d+ bytes, .*: 1 finding\n$/);
  expect([none.code, none.out, none.err]).toEqual([2, '', expect.stringMatching(/^STOPLOG_LOG_UNAVAILABLE {2}there is no log in /)]);
  expect([noTarget.code, noTarget.err]).toEqual([2, expect.stringContaining('say which, such as --to ./repaired')]);

  const repaired = await stoplog(folder, ['repair', '--to', 'repaired', '--json']);
  expect([repaired.code, repaired.err]).toEqual([0, '2 records kept in repaired; 1 offset lost\n']);
  expect(JSON.parse(repaired.out)).toMatchObject({
    lostOffsets: 1,
    partitions: [{ topic: 'lines', partition: 0, start: 0, end: 3, records: 2, lost: [{ offset: 1, until: 2 }] }],
  });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  const after = await stoplog(folder, ['check', '--log', 'lmdb:repaired', '--json']);
  expect([after.code, JSON.parse(after.out)]).toEqual([0, expect.objectContaining({ findings: [], records: 2, damaged: false })]);
});
