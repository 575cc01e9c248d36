import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { acknowledgements, dense, line, offsetsOf, readLetters, start, withFolder } from '../fixtures/child.ts';
import { append, place, shape } from '../fixtures/letters.mjs';

describe('two processes on one folder', () => {
  test('two processes append side by side: offsets are dense and unique, and each keeps its order', async () => {
    await withFolder(async (folder) => {
      const [path, acks] = [join(folder, 'log'), join(folder, 'acks')];
      const ends = await Promise.all(['a', 'b'].map((name) => start('appender', path, acks, name, '150').ended));
      expect(ends.map(({ code, errors }) => [code, errors])).toEqual([
        [0, ''],
        [0, ''],
      ]);
      const log = await openPort(lmdb(path));
      const kept = await readLetters(log);
      await log[Symbol.asyncDispose]();
      expect([...acknowledgements(acks)].sort()).toEqual(kept.map(line).sort());
      for (const partition of [0, 1]) {
        expect(offsetsOf(kept, partition)).toEqual(dense(offsetsOf(kept, partition).length));
        for (const name of ['a', 'b']) {
          const commits = kept.filter((record) => record.partition === partition && record.text.startsWith(name)).map(({ text }) => Number(text.split('.')[1]));
          expect(commits).toEqual([...commits].sort((x, y) => x - y));
        }
      }
    });
  }, 20_000);

  test('each process sees a record of the other while it waits for it', async () => {
    await withFolder(async (path) => {
      const child = start('echo', path);
      await child.said('ready');
      const log = await openPort(lmdb(path));
      await log.ensure([shape]);
      let offset = 0n;
      for (const text of [...Array.from({ length: 20 }, (_, i) => `letter ${i}`), 'end']) {
        const answer = log.fetch({ ...place(1), offset }, { bytes: 1, waitMs: Infinity }, new AbortController().signal);
        await append(log, 0, [text]);
        const { batches, next } = await answer;
        expect(batches[0]!.next() && Buffer.from(batches[0]!.value()!).toString()).toBe(text);
        offset = next;
      }
      expect(await child.ended).toMatchObject({ code: 0, errors: '' });
      await log[Symbol.asyncDispose]();
    });
  });

  test('a reader that waits leaves the CPU alone, and still sees a foreign record', async () => {
    await withFolder(async (path) => {
      const child = start('idle-reader', path);
      const busy: number[] = [];
      // The quietest of up to three seconds: another process on the machine may cost this one a page fault or two.
      for (let second = 0; second < 3 && (busy.at(-1) ?? 1) >= 0.01; second++) busy.push(Number((await child.said('busy', second)).split(' ')[1]));
      const log = await openPort(lmdb(path));
      await append(log, 0, ['from elsewhere']);
      await child.said('saw from elsewhere');
      expect(await child.ended).toMatchObject({ code: 0, errors: '' });
      await log[Symbol.asyncDispose]();
      expect(Math.min(...busy)).toBeLessThan(0.01);
    });
  }, 15_000);
});
