/** The operations of tools on groups and topics, and their refusals. */
import type { Assignment, Log, NumberedLog } from '@stoplog/core/port';
import { loadTools, type Tools } from '@stoplog/core/tools';
import { BatchBuilder, readLag, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { start, withFolder } from '../fixtures/child.ts';
import { never, shape } from '../fixtures/letters.mjs';

const places = [0, 1].map((partition) => ({ topic: 'letters', partition }));

const append = async (log: Log, count: number, partition = 0, timestamp = 1_000): Promise<void> => {
  const builder = new BatchBuilder();
  for (let i = 0; i < count; i++) builder.append(`k${i}`, 'v', timestamp + i);
  await log.commit({ group: '', epoch: 0, appends: [{ topic: 'letters', partition, batch: builder.finish() }], stores: [], positions: [] });
};
interface Stay {
  readonly epoch: number;
  readonly leave: () => Promise<unknown>;
}
/** Reads as a member of the group up to an offset, and stays a member until the test releases it. */
const stayAs = async (log: Log, group: string, to: bigint, from = 0n): Promise<Stay> => {
  const members = log.join(group, { units: [places] }, never)[Symbol.asyncIterator]();
  const { value } = (await members.next()) as { readonly value: Assignment };
  const { epoch } = value.partitions[0]!;
  await log.commit({ group, epoch, appends: [], stores: [], positions: [{ topic: 'letters', partition: 0, from, to }] });
  return { epoch, leave: () => members.return!() };
};
/** Reads as a member of the group up to an offset, and leaves. */
const readAs = async (log: Log, group: string, to: bigint): Promise<{ readonly epoch: number }> => {
  const { epoch, leave } = await stayAs(log, group, to);
  await leave();
  return { epoch };
};
const thrown = (promise: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> =>
  promise.then(
    () => Promise.reject(new Error('a refusal was expected')),
    (error: { readonly code: string; readonly message: string }) => error,
  );

/** The number of entries as LMDB counts them. */
const entriesIn = (folder: string, name: string): number => {
  const root = open<Buffer, Buffer>({ path: folder, noSubdir: false, readOnly: true, pageSize: 8192, keyEncoding: 'binary', encoding: 'binary' });
  const count = root.openDB<Buffer, Buffer>({ name, keyEncoding: 'binary', encoding: 'binary' }).getKeysCount({});
  void root.close();
  return count;
};

const batchesIn = (folder: string): number => entriesIn(folder, 'log');

let module: Tools;
let log: NumberedLog;
let path: string;
let end: () => void;
let folder: Promise<void>;
beforeEach(async () => {
  const open = new Promise<void>((resolve) => {
    folder = withFolder(async (made) => {
      path = made;
      module = await loadTools(lmdb(path));
      log = await openPort(lmdb(path));
      await log.ensure([shape]);
      const over = new Promise<void>((done) => (end = done));
      resolve();
      await over;
      await log[Symbol.asyncDispose]();
    });
  });
  await open;
});
afterEach(async () => {
  end();
  await folder;
});

describe('groups', () => {
  test('groups are listed with their positions, members and stores', async () => {
    await append(log, 5);
    await log.store({ group: 'workers', store: 'counts', version: 2, fingerprint: 'f', partition: 0 } as Parameters<Log['store']>[0], never);
    const { epoch } = await stayAs(log, 'workers', 3n);
    expect(await module.groups(log)).toEqual([
      {
        group: 'workers',
        epoch,
        members: [
          {
            instance: expect.any(String),
            pid: process.pid,
            sessionMs: 10_000,
            since: expect.any(Number),
            beatAt: expect.any(Number),
            holds: places.map((place) => ({ ...place, epoch })),
          },
        ],
        positions: [{ topic: 'letters', partition: 0, offset: 3n }],
        stores: [{ store: 'counts', version: 2, fingerprint: 'f' }],
        owns: [],
      },
    ]);
  });
  test('the lag of a group is the number and the age of its unread records', async () => {
    await append(log, 5, 0, 1_000);
    await readAs(log, 'workers', 3n);
    expect(await readLag(log, 'workers', places, () => 61_003)).toEqual([
      { topic: 'letters', partition: 0, position: 3n, end: 5n, records: 2, age: 60_000 },
      { topic: 'letters', partition: 1, position: 0n, end: 0n, records: 0, age: 0 },
    ]);
  });
});

describe('a reset', () => {
  const line = (from: bigint | undefined, to: bigint, partition = 0): Parameters<Tools['setPositions']>[2][number] => ({
    topic: 'letters',
    partition,
    from,
    to,
    moves: to - (from ?? 0n),
    clamped: undefined,
  });

  test('a reset moves a group without members to the positions of the plan, whole, even a group that does not exist yet', async () => {
    await append(log, 5);
    await append(log, 5, 1);
    await readAs(log, 'workers', 3n);
    await module.setPositions(log, 'workers', [line(3n, 1n), line(undefined, 4n, 1)]);
    expect((await log.committed('workers', places)).map(({ offset }) => offset)).toEqual([1n, 4n]);
    await module.setPositions(log, 'later', [line(undefined, 5n)]);
    expect((await log.committed('later', places)).map(({ offset }) => offset)).toEqual([5n, 0n]);
  });
  test('a reset is refused while the group has members, and names them; nothing is changed', async () => {
    await append(log, 5);
    await stayAs(log, 'workers', 3n);
    const { code, message } = await thrown(module.setPositions(log, 'workers', [line(3n, 0n)]));
    expect([code, message]).toEqual([
      'STOPLOG_GROUP_ACTIVE',
      expect.stringMatching(new RegExp(`process ${process.pid} has been in it since 20.*last heartbeat \\d+\\.\\d s ago`)),
    ]);
    expect((await log.committed('workers', places))[0]!.offset).toBe(3n);
  });
  test('a reset is refused when the group has moved since the plan was made, or the log does not have the partition', async () => {
    await append(log, 5);
    await append(log, 5, 1);
    await readAs(log, 'workers', 3n);
    expect(await thrown(module.setPositions(log, 'workers', [line(undefined, 4n, 1), line(2n, 0n)]))).toMatchObject({
      code: 'STOPLOG_FENCED',
      message: expect.stringContaining('is at offset 3'),
    });
    expect(await thrown(module.setPositions(log, 'workers', [line(undefined, 4n, 1), line(3n, 9n)]))).toMatchObject({ code: 'STOPLOG_FENCED' });
    expect((await log.committed('workers', places)).map(({ offset }) => offset)).toEqual([3n, 0n]);
  });
  test('a reset fences a member that was thought dead: its later commits are refused', async () => {
    await append(log, 5);
    const { epoch } = await readAs(log, 'workers', 3n);
    await module.setPositions(log, 'workers', [line(3n, 3n)]);
    expect(
      await thrown(log.commit({ group: 'workers', epoch, appends: [], stores: [], positions: [{ topic: 'letters', partition: 0, from: 3n, to: 4n }] })),
    ).toMatchObject({ code: 'STOPLOG_FENCED' });
  });
  test('a reset does not wait for a member that was killed', async () => {
    const member = start('member', path, 'first');
    await member.said('committed 0');
    member.kill();
    await member.ended;
    const [found] = await module.groups(log);
    const { topic, partition, offset } = found!.positions[0] ?? { topic: 'letters', partition: 0, offset: undefined };
    expect(found!.members).toEqual([]);
    await module.setPositions(log, found!.group, [{ topic, partition, from: offset, to: 0n, moves: 0n, clamped: undefined }]);
  });
});

describe('deleting', () => {
  test('deleting a group deletes its positions and stores, and the name starts from nothing', async () => {
    await append(log, 5);
    const part = { group: 'workers', store: 'counts', version: 1, fingerprint: 'f', partition: 0 } as Parameters<Log['store']>[0];
    await log.store(part, never);
    const { epoch, leave } = await stayAs(log, 'workers', 3n);
    const put = {
      group: 'workers',
      epoch,
      appends: [],
      positions: [{ ...places[0]!, from: 3n, to: 3n }],
      stores: [{ store: 'counts', partition: 0, keys: [new Uint8Array([1])], values: [new Uint8Array([2])] }],
    };
    await log.commit(put);
    await leave();
    const other = await openPort(lmdb(path));
    await other.store(part, never);
    await module.deleteGroup(log, 'workers');
    expect(await module.groups(log)).toEqual([]);
    expect((await log.committed('workers', places))[0]!.offset).toBe(0n);
    expect((await log.store(part, never)).get(new Uint8Array([1]))).toBeUndefined();
    expect(await thrown(other.commit(put))).toMatchObject({ code: 'STOPLOG_FENCED' });
    await other[Symbol.asyncDispose]();
    expect(await thrown(module.deleteGroup(log, 'nobody'))).toMatchObject({ code: 'STOPLOG_GROUP_UNKNOWN' });
  });
  test('deleting a group ends the joins that wait for it', async () => {
    await readAs(log, 'workers', 0n);
    const known = await openPort(lmdb(path));
    const { epoch } = await readAs(known, 'workers', 0n);
    await module.deleteGroup(log, 'workers');
    expect(await thrown(known.commit({ group: 'workers', epoch, appends: [], stores: [], positions: [{ ...places[0]!, from: 0n, to: 0n }] }))).toMatchObject({
      code: 'STOPLOG_GROUP_UNKNOWN',
    });
    await known[Symbol.asyncDispose]();
  });
  test('deleting a topic frees its records and every position in it; the name may be created again, empty', async () => {
    for (let i = 0; i < 3; i++) await append(log, 5);
    await readAs(log, 'workers', 3n);
    await module.deleteTopic(log, 'letters');
    expect(await module.topics(log)).toEqual([]);
    expect((await module.groups(log))[0]!.positions).toEqual([]);
    expect(await thrown(log.offsets(places, 'latest'))).toMatchObject({ code: 'STOPLOG_TOPIC_UNKNOWN' });
    await log.ensure([{ ...shape, partitions: 3 }]);
    expect((await log.offsets(places, 'latest'))[0]!.offset).toBe(0n);
    expect((await log.committed('workers', places))[0]!.offset).toBe(0n);
  });
  test('deleting a topic deletes the groups whole that have positions in it and stores, with the topics that they own', async () => {
    const through = { ...shape, name: 'through' };
    await log.ensure([shape, through, { ...shape, name: 'others' }], { group: 'counting', owns: ['through'], appends: [] });
    await append(log, 5);
    const part = { group: 'counting', store: 'counts', version: 1, fingerprint: 'f', partition: 0 };
    await log.store(part, never);
    await readAs(log, 'counting', 3n);
    await readAs(log, 'workers', 2n);
    expect((await module.groups(log)).map(({ group, owns }) => [group, owns])).toEqual([
      ['counting', ['through']],
      ['workers', []],
    ]);
    await module.deleteTopic(log, 'letters');
    expect((await module.topics(log)).map(({ name }) => name)).toEqual(['others']);
    expect((await module.groups(log)).map(({ group, positions, stores }) => [group, positions, stores])).toEqual([['workers', [], []]]);
    expect((await module.check(lmdb(path).options)).findings).toEqual([]);
  });
  test('deleting a group that owns a topic is refused while another group reads that topic, and deletes it afterwards', async () => {
    await log.ensure([shape], { group: 'counting', owns: ['letters'], appends: [] });
    await append(log, 5);
    await readAs(log, 'counting', 3n);
    await readAs(log, 'workers', 2n);
    expect(await thrown(module.deleteGroup(log, 'counting'))).toMatchObject({
      code: 'STOPLOG_TOPIC_OWNER',
      facts: { topic: 'letters', owner: 'counting', readers: ['workers'] },
    });
    expect((await module.groups(log)).map(({ group, positions }) => [group, positions.length])).toEqual([
      ['counting', 1],
      ['workers', 1],
    ]);
    await module.deleteGroup(log, 'workers');
    await module.deleteGroup(log, 'counting');
    expect([await module.topics(log), await module.groups(log)]).toEqual([[], []]);
  });
  test('deleting a topic deletes the state of its producers too, and the producers continue in other topics', async () => {
    await log.ensure([{ ...shape, name: 'others' }]);
    const producers = [await log.producer('one'), await log.producer('two')];
    const send = async (topic: string): Promise<void> => {
      for (const producer of producers)
        for (const partition of [0, 1]) {
          const builder = new BatchBuilder();
          builder.append('k', 'v', 1_000);
          const append = { topic, partition, batch: builder.finish(), producer: { ...producer, sequence: 0 } };
          await log.commit({ group: '', epoch: 0, appends: [append], stores: [], positions: [] });
        }
    };
    await send('letters');
    await send('others');
    expect((await module.check(lmdb(path).options)).findings).toEqual([]);
    expect(entriesIn(path, 'producers')).toBe(10);
    await module.deleteTopic(log, 'letters');
    expect(entriesIn(path, 'producers')).toBe(6);
    expect((await module.check(lmdb(path).options)).findings).toEqual([]);
    await send('others');
  });
  test('deleting a topic is refused while an active group reads it, even a group that has committed nothing yet', async () => {
    await append(log, 5);
    await stayAs(log, 'workers', 0n);
    expect(await thrown(module.deleteTopic(log, 'letters'))).toMatchObject({ code: 'STOPLOG_GROUP_ACTIVE' });
  });
  test('a deleted topic refuses its writers and readers, and keeps nothing of theirs', async () => {
    const other = await openPort(lmdb(path));
    await append(other, 1);
    await module.deleteTopic(log, 'letters');
    await log.ensure([shape]);
    expect(await thrown(append(other, 1))).toMatchObject({ code: 'STOPLOG_TOPIC_UNKNOWN' });
    expect(await thrown(other.fetch({ ...places[0]!, offset: 0n }, { bytes: 1, waitMs: 0 }, never))).toMatchObject({ code: 'STOPLOG_TOPIC_UNKNOWN' });
    expect((await log.offsets(places, 'latest'))[0]!.offset).toBe(0n);
    await other[Symbol.asyncDispose]();
  });
});

test('the rest of a deleted topic whose process is killed is freed by the next process that opens the log', async () => {
  for (let i = 0; i < 3; i++) await append(log, 5);
  const killed = start('deleter', path, 'letters');
  expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
  expect(await module.topics(log)).toEqual([]);
  expect(batchesIn(path)).toBe(3);
  await log[Symbol.asyncDispose]();
  log = await openPort(lmdb(path));
  await log.commit({ group: '', epoch: 0, appends: [], stores: [], positions: [] });
  expect(batchesIn(path)).toBe(0);
});
