/**
 * LMDB has no checksums; our values have. Whatever bits are flipped in its file, a reader gets what was written, or an
 * error with a name. What no checksum of ours covers are LMDB's own pages: a branch that leads astray hides what lies
 * under it, and may even be the end of the process. Both are counted and printed, in hundreds of copies about one of each.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lmdb } from '@stoplog/core/lmdb';
import { openPort } from '@stoplog/core/port';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { start, withFolder } from './fixtures/child.ts';
import { append, commitOf, never, shape } from './fixtures/letters.mjs';

const COPIES = 16;
const RECORDS = 400;

const makeLog = async (path: string): Promise<void> => {
  const log = await openPort(lmdb(path));
  await log.ensure([shape]);
  await log.store({ store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' }, never);
  for (let i = 0; i < RECORDS / 4; i++) {
    await append(
      log,
      i % 2,
      Array.from({ length: 4 }, (_, n) => `${i}.${n} ${'abcdefgh'.repeat(20)}`),
    );
    await log.commit(commitOf({ stores: [{ store: 's', partition: 0, keys: [Buffer.from(`key ${i}`)], values: [Buffer.from(`value ${i}`.repeat(8))] }] }));
  }
  await log[Symbol.asyncDispose]();
};

test('flipped bits: never a value that was not written, and never an error without a name', async () => {
  await withFolder(async (folder) => {
    await makeLog(join(folder, 'log'));
    const before = JSON.parse((await start('look', join(folder, 'log')).ended).lines[0]!) as { values: string[] };
    const written = new Set(before.values);
    await makeLog(join(folder, 'original'));
    const seed = Date.now() % 2 ** 31;
    const flips = fc.sample(fc.array(fc.record({ at: fc.noBias(fc.integer({ min: 0, max: 2 ** 30 })), bit: fc.nat(7) }), { minLength: 1, maxLength: 10 }), {
      numRuns: COPIES,
      seed,
    });
    const whole = readFileSync(join(folder, 'original', 'data.mdb'));
    let used = whole.length;
    while (whole[used - 1] === 0) used--;
    used = Math.ceil(used / 8_192) * 8_192; // behind it the file is a hole, where a bit means nothing
    const paths = flips.map((bits, i) => {
      const path = join(folder, `copy${i}`);
      mkdirSync(path);
      copyFileSync(join(folder, 'original', 'stoplog.json'), join(path, 'stoplog.json'));
      const bytes = Buffer.from(whole.subarray(0, used));
      for (const { at, bit } of bits) {
        const index = at % used;
        bytes[index] = bytes[index]! ^ (1 << bit);
      }
      writeFileSync(join(path, 'data.mdb'), bytes);
      return path;
    });
    const tally = { clean: 0, reported: 0, refused: 0, diedBySignal: 0, lostInSilence: 0, wrong: 0 };
    const unnamed = new Set<string>();
    const lost = new Set<string>();
    for (let i = 0; i < paths.length;) {
      const ended = await start('look', ...paths.slice(i)).ended;
      for (const line of ended.lines) {
        const { values, errors } = JSON.parse(line) as { values: string[]; errors: string[] };
        for (const error of errors) if (!String(error).startsWith('STOPLOG_')) unnamed.add(String(error));
        const got = new Set(values);
        if (values.some((value) => !written.has(value) && !value.endsWith(' appended'))) tally.wrong++;
        else if (errors.length > 0) tally[values.length === 0 ? 'refused' : 'reported']++;
        else if ([...written].some((value) => !got.has(value) && !value.endsWith(' appended'))) tally.lostInSilence++;
        else tally.clean++;
        if (errors.length === 0) for (const value of written) if (!got.has(value) && !value.endsWith(' appended')) lost.add(value.slice(0, 20));
      }
      i += ended.lines.length;
      if (i < paths.length && ended.signal !== null) tally.diedBySignal++;
      if (i < paths.length) i++;
    }
    console.log(`seed ${seed}, file of ${used} bytes:`, tally, [...unnamed], [...lost].slice(0, 12));
    expect([tally.wrong, ...unnamed]).toEqual([0]);
    expect(tally.reported + tally.refused).toBeGreaterThan(0);
    expect(tally.diedBySignal).toBeLessThan(3);
  });
}, 60_000);
