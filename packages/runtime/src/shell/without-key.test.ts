import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { perVisitor, visits } from './fixtures/keyless.pipeline.mjs';
import { run, type Status } from '@stoplog/runtime';

test('the status of an app counts the records without a key that a verb has dropped', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-keyless-'));
  try {
    await using app = await run(new URL('./fixtures/keyless.pipeline.mjs', import.meta.url), { log: lmdb(folder), threads: 1, logger: 'none' });
    await app.log.append(
      visits,
      [null, 'a', null, null, 'a'].map((key, n) => ({ key, value: n })),
    );
    await app.settled();
    const counted = await new Promise<Status>((resolve, reject) => {
      app.status.subscribe({ next: (status) => status.recordsIn === 5 && resolve(status), error: reject });
    });
    expect(counted.dropped).toEqual([{ task: 0, verb: 'count', topic: 'visits', records: 3 }]);
    expect(await app.store(perVisitor).get('a')).toBe(2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
