import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { acknowledgements, dense, line, offsetsOf, readLetters, start, withFolder } from '../fixtures/child.ts';

const KILL_AFTER = [3, 40, 200];

test('a process killed in the middle of many appends loses no acknowledged record, and leaves dense offsets', async () => {
  await withFolder(async (folder) => {
    const [path, acks] = [join(folder, 'log'), join(folder, 'acks')];
    for (const [incarnation, after] of KILL_AFTER.entries()) {
      const child = start('appender', path, acks, `life${incarnation}`);
      await child.said(`acknowledged ${after}`);
      child.kill();
      expect((await child.ended).signal).toBe('SIGKILL');

      const log = await openPort(lmdb(path));
      const kept = await readLetters(log);
      const there = new Set(kept.map(line));
      expect(acknowledgements(acks).filter((ack) => !there.has(ack))).toEqual([]);
      for (const partition of [0, 1]) expect(offsetsOf(kept, partition)).toEqual(dense(offsetsOf(kept, partition).length));
      expect(new Set(kept.map(({ text }) => text)).size).toBe(kept.length);
      // Each commit is whole or absent: its texts are numbered, and their number is known from the commit's.
      const sizes = new Map<string, number>();
      for (const { text } of kept) {
        const commit = text.split('.').slice(0, 2).join('.');
        sizes.set(commit, (sizes.get(commit) ?? 0) + 1);
      }
      for (const [commit, size] of sizes) expect([commit, size]).toEqual([commit, 1 + (Number(commit.split('.')[1]) % 7)]);
      await log[Symbol.asyncDispose]();
    }
  });
}, 30_000);
