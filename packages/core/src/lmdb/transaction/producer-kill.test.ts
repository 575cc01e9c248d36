/** A producer that dies before it receives the answer: the process that repeats its batch appends it once, whether it had been kept or not. */
import { join } from 'node:path';
import type { Committed } from '@stoplog/core/port';
import { openPort } from '@stoplog/core/kit';
import type { Failpoint } from '@stoplog/core/private/failpoints';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { readLetters, start, withFolder } from '../fixtures/child.ts';
import { batchOf, commitOf, place } from '../fixtures/letters.mjs';

/** The second batch is the fourth transaction: after the topic, the producer and the first. */
test.each<readonly [Failpoint, hit: number, kept: boolean]>([
  ['append.written', 2, false],
  ['append.committed', 4, true],
  ['append.acked', 2, true],
])(
  'after a kill at %s another process repeats the batch, and the log has it once',
  async (failpoint, hit, kept) => {
    await withFolder(async (folder) => {
      const path = join(folder, 'log');
      process.env['STOPLOG_FAILPOINTS'] = `${failpoint}=kill#${hit}`;
      const child = start('producer', path);
      delete process.env['STOPLOG_FAILPOINTS'];
      const { signal, lines } = await child.ended;
      expect([signal, lines.length]).toEqual(['SIGKILL', 1]);
      const [, id, epoch] = lines[0]!.split(' ').map(Number);

      const log = await openPort(lmdb(path));
      const texts = async (): Promise<readonly string[]> => (await readLetters(log)).map(({ text }) => text);
      const send = (text: readonly string[], sequence: number): Promise<Committed> =>
        log.commit(commitOf({ appends: [{ ...place(0), batch: batchOf(text), producer: { id: id!, epoch: epoch!, sequence } }] }));
      expect(await texts()).toEqual(kept ? ['a', 'b', 'c'] : ['a', 'b']);
      expect((await send(['a', 'b'], 0)).offsets).toEqual([0n]);
      expect((await send(['c'], 2)).offsets).toEqual([2n]);
      expect((await send(['c'], 2)).offsets).toEqual([2n]);
      await expect(send(['e'], 4)).rejects.toMatchObject({ code: 'STOPLOG_SEQUENCE', facts: { producer: 'p', sequence: 4, expected: 3 } });
      expect((await send(['d'], 3)).offsets).toEqual([3n]);
      expect(await texts()).toEqual(['a', 'b', 'c', 'd']);
      await log[Symbol.asyncDispose]();
    });
  },
  30_000,
);
