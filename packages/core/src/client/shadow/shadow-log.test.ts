/** A shadow log over the log in memory: it reads as far as the group that serves, and keeps everything of its own under other names. */
import { expect, test } from 'vitest';
import type { Log, RecordBatch } from '../../port/log.ts';
import { openBatch } from '../../pure/record/batch.ts';
import { batchOf, never, NOW, readAll, shape } from '../../testing/contract/setting.ts';
import { memoryLog } from '../../testing/memory-log.ts';
import { endingAt } from './ending-cursor.ts';
import { open, share } from './log-module.ts';
import { ShadowLog } from './shadow-log.ts';

const NAMES = { group: 'serving', tag: 's@2', own: ['between'] };
const [LINES, BETWEEN] = ['lines', 'between'].map((topic) => ({ topic, partition: 0 })) as [
  { topic: string; partition: number },
  { topic: string; partition: number },
];
const part = { store: 's', partition: 0, group: 'serving', version: 2, fingerprint: 'f' };

/** Five records in `lines`, of which the serving group has processed the first three. */
const opened = async (): Promise<{ readonly log: Log; readonly shadow: Log }> => {
  const log = memoryLog();
  const shadow = new ShadowLog(log, NAMES);
  await log.ensure(['lines', 'between'].map((name) => shape(name)));
  await shadow.ensure(
    ['lines', 'between'].map((name) => shape(name)),
    { group: 'serving', owns: ['between'], appends: [] },
  );
  await log.commit({ group: '', epoch: 0, appends: [{ ...LINES, batch: batchOf(['a', 'b', 'c', 'd', 'e']) }], stores: [], positions: [] });
  await serve(log, 0n, 3n);
  return { log, shadow };
};
const serve = (log: Log, from: bigint, to: bigint): Promise<unknown> =>
  log.commit({ group: 'serving', epoch: 0, appends: [], stores: [], positions: [{ ...LINES, from, to }] });
const keysOf = ({ batches }: RecordBatch): readonly string[] => {
  const found: string[] = [];
  for (const view of batches) while (view.next()) found.push(Buffer.from(view.key()!).toString());
  return found;
};

test('a shadow reads as far as the serving group is, in the middle of a batch, and goes on when that group does', async () => {
  const { log, shadow } = await opened();
  const first = await shadow.fetch({ ...LINES, offset: 0n }, NOW, never);
  expect([keysOf(first), first.next]).toEqual([['a', 'b', 'c'], 3n]);
  expect(await shadow.fetch({ ...LINES, offset: 3n }, NOW, never)).toMatchObject({ from: 3n, next: 3n, batches: [] });
  expect(await shadow.offsets([LINES], 'latest')).toEqual([{ ...LINES, offset: 3n }]);
  const waiting = shadow.fetch({ ...LINES, offset: 3n }, { bytes: 1_000, waitMs: 10_000 }, never);
  await serve(log, 3n, 5n);
  // The batch begins before the position: its reader skips to it.
  expect((await waiting).next).toBeGreaterThanOrEqual(5n);
});
test('an abort ends a wait for the serving group', async () => {
  const { shadow } = await opened();
  const stop = new AbortController();
  const waiting = shadow.fetch({ ...LINES, offset: 3n }, { bytes: 1, waitMs: 60_000 }, stop.signal);
  stop.abort();
  expect(await waiting).toMatchObject({ next: 3n, batches: [] });
});
test('positions, stores and own topics of a shadow are not those of the serving group', async () => {
  const { log, shadow } = await opened();
  await shadow.store(part, never);
  await shadow.commit({
    group: 'serving',
    epoch: 0,
    appends: [{ ...BETWEEN, batch: batchOf(['x']) }],
    stores: [{ store: 's', partition: 0, keys: [Buffer.from('k')], values: [Buffer.from('v')] }],
    positions: [{ ...LINES, from: 0n, to: 2n }],
  });
  expect(await shadow.committed('serving', [LINES, BETWEEN])).toMatchObject([
    { topic: 'lines', offset: 2n },
    { topic: 'between', offset: 0n },
  ]);
  expect(await log.committed('serving', [LINES])).toMatchObject([{ offset: 3n }]);
  expect(keysOf(await shadow.fetch({ ...BETWEEN, offset: 0n }, NOW, never))).toEqual(['x']);
  expect(await log.offsets([BETWEEN], 'latest')).toMatchObject([{ offset: 0n }]);
  expect(Buffer.from((await shadow.store(part, never)).get(Buffer.from('k'))!).toString()).toBe('v');
  expect((await log.store({ ...part, version: 1 }, never)).get(Buffer.from('k'))).toBeUndefined();
});
test('an append to a topic that is shared is refused', async () => {
  const { log, shadow } = await opened();
  const before = (await readAll(log, 0n, 0, 'lines')).length;
  expect(() => shadow.commit({ group: '', epoch: 0, appends: [{ ...LINES, batch: batchOf(['z']) }], stores: [], positions: [] })).toThrow(
    /cannot append to topic 'lines'/,
  );
  expect(await readAll(log, 0n, 0, 'lines')).toHaveLength(before);
});
test('a cursor that ends inside a batch counts and yields the records before its end, and again after a rewind', () => {
  const batch = openBatch(batchOf(['a', 'b', 'c', 'd']));
  expect(endingAt(batch, 4n)).toBe(batch);
  const cut = endingAt(batch, 2n);
  const keys = (): readonly string[] => keysOf({ ...LINES, from: 0n, next: 2n, batches: [cut] });
  expect([cut.count, cut.nextOffset, keys()]).toEqual([2, 2n, ['a', 'b']]);
  cut.rewind();
  expect(keys()).toEqual(['a', 'b']);
});
test('the module of shadows refuses what is no log, and a log that is no shadow', async () => {
  await expect(open({ over: './data', ...NAMES })).rejects.toMatchObject({ code: 'STOPLOG_USAGE', message: expect.stringContaining("'./data' is none") });
  await expect(share(memoryLog())).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
});
