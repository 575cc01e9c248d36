import { openLog } from '@stoplog/core';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { startApp, withFolder } from './fixtures/child.ts';
import { names, seen, visits } from './fixtures/visits.pipeline.mjs';

const KEYS = ['a', 'b', 'c', 'd', 'e'];
const ROUNDS = 2_000;

/** A name changes at every even time, and a visit follows at every odd time: each visit must see the name before it. */
const expected = (from: number, to: number): readonly string[] => Array.from({ length: to - from }, (_, i) => `${from + i}:n${from + i}`);

test('a join reads the table as of each record’s timestamp, in any order of fetches, and positions reach the ends of the topics', async () => {
  await withFolder(async (folder) => {
    const log = await openLog(lmdb(folder));
    const appendRound = async (from: number, to: number): Promise<void> => {
      const rounds = Array.from({ length: to - from }, (_, i) => from + i).flatMap((round) => KEYS.map((key) => ({ key, round })));
      // The stream is filled first: timestamps decide, not the order in which the topics were filled.
      await log.append(
        visits,
        rounds.map(({ key, round }) => ({ key, value: `${round}`, timestamp: 2 * round + 1 })),
      );
      await log.append(
        names,
        rounds.map(({ key, round }) => ({ key, value: `n${round}`, timestamp: 2 * round })),
      );
    };
    await appendRound(0, ROUNDS);
    // Deletions are records too, and have no output here.
    await log.append(
      names,
      KEYS.map((key) => ({ key, value: null, timestamp: 2 * ROUNDS })),
    );
    const app = startApp(folder, 'visits.pipeline.mjs', { threads: 1, logger: 'none' });
    await app.said('running');
    app.send('settle');
    await app.said('settled');
    // While the app runs: a name, and only then the visit, repeatedly. An actor that fetched names first must fetch them again.
    for (let round = ROUNDS + 1; round < ROUNDS + 300; round++) {
      const one = round % KEYS.length;
      void log.append(names, [{ key: KEYS[one]!, value: `n${round}`, timestamp: 2 * round }], { ack: 'committed' });
      await log.append(visits, [{ key: KEYS[one]!, value: `${round}`, timestamp: 2 * round + 1 }], { ack: 'committed' });
    }
    const settledAt = app.lines.length;
    app.send('settle');
    await app.said('settled', settledAt);
    app.send('dispose');
    expect(await app.ended).toMatchObject({ code: 0, errors: '' });

    const byKey = new Map<string, string[]>(KEYS.map((key) => [key, []]));
    for await (const batch of log.read(seen, { from: 'earliest', until: 'end' })) for (const { key, value } of batch) byKey.get(key)!.push(value!);
    for (const [i, key] of KEYS.entries()) {
      const later = expected(ROUNDS + 1, ROUNDS + 300).filter((_, n) => (ROUNDS + 1 + n) % KEYS.length === i);
      expect(byKey.get(key)!.join(' ')).toBe([...expected(0, ROUNDS), ...later].join(' '));
    }
    const port = await openPort(lmdb(folder));
    const places = ['visits', 'names'].flatMap((topic) => [0, 1].map((partition) => ({ topic, partition })));
    expect(await port.committed('visits', places)).toEqual(await port.offsets(places, 'latest'));
    await port[Symbol.asyncDispose]();

    // The next run has no records left: none is delivered again.
    const again = startApp(folder, 'visits.pipeline.mjs', { threads: 1, logger: 'none' });
    await again.said('running');
    again.send('settle');
    await again.said('settled');
    again.send('status');
    expect(await again.heard('status')).toMatchObject({ recordsIn: 0, lag: 0 });
    again.send('dispose');
    expect(await again.ended).toMatchObject({ code: 0 });
    await log[Symbol.asyncDispose]();
  });
}, 60_000);
