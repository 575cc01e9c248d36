import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { acknowledgements, dense, line, offsetsOf, readLetters, start, withFolder } from '../fixtures/child.ts';

const ENDS: readonly (readonly [how: string, code: number])[] = [
  ['exit', 3],
  ['exit in a microtask', 3],
  ['throw', 1],
  ['reject', 1],
  ['end', 0],
];

test.each(ENDS)(
  'a process that ends in the middle of appends by %s ends with code %i, does not hang, and keeps all acknowledged records',
  async (how, code) => {
    await withFolder(async (folder) => {
      const [path, acks] = [join(folder, 'log'), join(folder, 'acks')];
      const ended = await start('ending', path, acks, how).ended;
      expect([ended.code, ended.signal]).toEqual([code, null]);
      const log = await openPort(lmdb(path));
      const kept = await readLetters(log);
      await log[Symbol.asyncDispose]();
      const there = new Set(kept.map(line));
      expect(acknowledgements(acks).filter((ack) => !there.has(ack))).toEqual([]);
      expect(acknowledgements(acks).length).toBeGreaterThan(90);
      expect(offsetsOf(kept, 0)).toEqual(dense(kept.length));
    });
  },
  15_000,
);
