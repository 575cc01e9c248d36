/** A process that dies at any moment of a cleaning changes no fold of the log, and moves no surviving record. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '@stoplog/core/port';
import { openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import type { Failpoint } from '@stoplog/core/private/failpoints';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { start, withFolder } from '../fixtures/child.ts';
import { never } from '../fixtures/letters.mjs';

const place = { topic: 'table', partition: 0 };
const read = async (log: Log): Promise<readonly { readonly offset: bigint; readonly key: string; readonly value: string | null }[]> => {
  const records: { offset: bigint; key: string; value: string | null }[] = [];
  const [end] = await log.offsets([place], 'latest');
  for (let offset = 0n; offset < end!.offset;) {
    const found = await log.fetch({ ...place, offset }, { bytes: 1_000_000, waitMs: 0 }, never);
    for (const view of found.batches) {
      while (view.next()) {
        const value = view.value();
        records.push({ offset: view.offset, key: Buffer.from(view.key()!).toString(), value: value && Buffer.from(value).toString() });
      }
    }
    offset = found.next;
  }
  return records;
};
/** The announced writes below an offset, folded: of two at one offset the second counts, because the first was never appended. */
const intended = (file: string, end: bigint): Map<string, string> => {
  const at = new Map<bigint, readonly [string, string]>();
  for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const [offset, key, value] = line.split(' ') as [string, string, string];
    if (BigInt(offset) < end) at.set(BigInt(offset), [key, value]);
  }
  const table = new Map<string, string>();
  for (const [, [key, value]] of [...at].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === '-') table.delete(key);
    else table.set(key, value);
  }
  return table;
};
/** Checks that a reader at any offset reads the first remaining record from there. */
const checkParked = async (log: Log, left: readonly bigint[], end: bigint): Promise<void> => {
  for (let from = 0n; from < end; from += 7n) {
    let found: bigint | undefined;
    for (let offset = from; found === undefined && offset < end;) {
      const { batches, next } = await log.fetch({ ...place, offset }, { bytes: 1, waitMs: 0 }, never);
      for (const view of batches) while (view.next()) if (view.offset >= from) found ??= view.offset;
      offset = next;
    }
    expect(found).toBe(left.find((offset) => offset >= from));
  }
};
const check = async (path: string, intents: string): Promise<number> => {
  const ref = lmdb(path, { maintenance: { everyMs: Infinity } });
  const log = await openPort(ref);
  const { clean } = await loadTools(ref);
  try {
    const [end] = await log.offsets([place], 'latest');
    const expected = intended(intents, end!.offset);
    for (let cleanings = 0; cleanings < 3; cleanings++) {
      const records = await read(log);
      const table = new Map<string, string>();
      for (const { offset, key, value } of records) {
        if (value !== null) expect(value).toBe(String(offset));
        if (value === null) table.delete(key);
        else table.set(key, value);
      }
      expect(table).toEqual(expected);
      if (cleanings > 0) expect(new Set(records.map(({ key }) => key)).size).toBe(records.length);
      expect((await log.offsets([place], 'latest'))[0]).toEqual(end);
      await checkParked(
        log,
        records.map(({ offset }) => offset),
        end!.offset,
      );
      await clean(log, { roll: true });
    }
    return Number(end!.offset);
  } finally {
    await log[Symbol.asyncDispose]();
  }
};

test('killed again and again while it writes and cleans, a log loses no record, moves none, and restores no deleted one', async () => {
  await withFolder(async (folder) => {
    const [path, intents] = [join(folder, 'log'), join(folder, 'intents')];
    for (const after of [1, 4, 9, 2, 6]) {
      const child = start('cleaner', path, intents);
      await child.said(`cleaned ${after}`);
      child.kill();
      expect((await child.ended).signal).toBe('SIGKILL');
      expect(await check(path, intents)).toBeGreaterThan(0);
    }
  });
}, 60_000);

test.each<Failpoint>(['compact.select', 'compact.copied', 'compact.swapped', 'compact.cleaned', 'storage.put'])(
  'O06: killed at %s, the log has the same table after another cleaning',
  async (failpoint) => {
    await withFolder(async (folder) => {
      const [path, intents] = [join(folder, 'log'), join(folder, 'intents')];
      for (const hit of [1, 4]) {
        process.env['STOPLOG_FAILPOINTS'] = `${failpoint}=kill#${failpoint === 'storage.put' ? 40 * hit : hit}`;
        const child = start('cleaner', path, intents);
        delete process.env['STOPLOG_FAILPOINTS'];
        expect((await child.ended).signal).toBe('SIGKILL');
        await check(path, intents);
      }
    });
  },
  60_000,
);

test('two processes that clean one partition at once come to the same table', async () => {
  await withFolder(async (folder) => {
    const [path, intents] = [join(folder, 'log'), join(folder, 'intents')];
    const child = start('cleaner', path, intents);
    await child.said('cleaned 1');
    const ref = lmdb(path, { maintenance: { everyMs: Infinity, bytesPerSecond: 1e12 } });
    const log = await openPort(ref);
    const { clean } = await loadTools(ref);
    for (let n = 0; n < 40; n++) await clean(log, { roll: true });
    child.kill();
    await child.ended;
    await log[Symbol.asyncDispose]();
    expect(await check(path, intents)).toBeGreaterThan(0);
  });
}, 60_000);
