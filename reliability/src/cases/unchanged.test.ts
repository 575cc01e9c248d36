/** O18: a change that the store has and no output got is emitted after the restart; only unchanged values are left out. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { Child } from '../harness/child.ts';
import { withFolder } from '../harness/folder.ts';
import { changed, current } from './unchanged.pipeline.ts';

test.each(['throw', 'exit', 'kill'] as const)(
  'O18: a change whose output was lost by a crash after the store had it (%s) goes downstream after all, once',
  async (how) => {
    await withFolder(async (folder) => {
      const [data, note] = [join(folder, 'log'), join(folder, 'note')];
      const log = await openLog(lmdb(data));
      const incarnation = (): Child => new Child('cases/unchanged.child.js', [data], { env: { FAILED: note, FAILS_BY: how }, limitMs: 20_000 });
      const outputs = async (): Promise<readonly string[]> => {
        const found: string[] = [];
        for await (const batch of log.read(changed, { from: 'earliest', until: 'end' })) found.push(...batch.map(({ key, value }) => `${key}=${value}`));
        return found;
      };
      const send = (value: string, timestamp: number): Promise<unknown> => log.append(current, [{ key: '1', value, timestamp }]);
      await send('A', 0);
      await send('B', 0);
      const first = incarnation();
      if (how === 'kill') {
        expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
        expect(await outputs()).toEqual([]);
        expect(await incarnation().ended).toMatchObject({ code: 0, errors: '' });
      } else {
        expect(Number((await first.said('restarts')).split(' ')[1])).toBeGreaterThan(0);
        expect(await first.ended).toMatchObject({ code: 0 });
      }
      // The failure happened, or the test proves nothing.
      expect(existsSync(note)).toBe(true);
      expect(await outputs()).toEqual(['1=A', '1=B']);
      await send('B', 1);
      expect(await incarnation().ended).toMatchObject({ code: 0, errors: '' });
      expect(await outputs()).toEqual(['1=A', '1=B']);
      await log[Symbol.asyncDispose]();
    });
  },
);
