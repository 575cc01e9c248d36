import { loadLogModule, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Log } from '../../port/log.ts';
import { RecordPacker } from '../../pure/topic/packer.ts';
import { topic, topicOf } from '../../pure/topic/topic.ts';
import { withFolder } from '../fixtures/child.ts';
import type { WriterRequest } from '../layout/writer-messages.ts';
import type { Line } from './host-messages.ts';
import { RoomLine } from './room-line.ts';
import { makeClaims, makeRoom, Room, ROOM_BYTES } from './room.ts';

const MB = 1024 * 1024;
const letters = topic('letters', { key: z.string(), value: z.string(), partitions: 1 });
const roomOf = (shared: SharedArrayBuffer): Room => new Room(shared, makeClaims());

describe('room in the queue', () => {
  test('links claim room up to one limit together, and claim it again when a commit is answered', () => {
    const shared = makeRoom();
    const [a, b, line] = [roomOf(shared), roomOf(shared), new RoomLine()];
    expect([a.claim(10 * MB), b.claim(6 * MB), b.claim(1)]).toEqual([true, true, false]);
    line.give(a, 10 * MB);
    expect([b.claim(1), a.load.bytes]).toEqual([true, 6 * MB + 1]);
  });
  test('the line grants room in the order of the requests, to a large commit before the small ones behind it', () => {
    const shared = makeRoom();
    const [a, b, c, line] = [roomOf(shared), roomOf(shared), roomOf(shared), new RoomLine()];
    const granted: string[] = [];
    a.claim(ROOM_BYTES - MB);
    line.ask(b, 8 * MB, () => granted.push('large'));
    line.ask(c, 10, () => granted.push('small'));
    expect([granted, c.claim(10), a.load.waiting]).toEqual([[], false, 2]);
    line.give(a, ROOM_BYTES - MB);
    expect([granted, a.load]).toEqual([['large', 'small'], { bytes: 8 * MB + 10, limit: ROOM_BYTES, waiting: 0 }]);
  });
  test('a commit larger than the room claims all of it, and waits for nothing else', () => {
    const shared = makeRoom();
    const [a, b, line] = [roomOf(shared), roomOf(shared), new RoomLine()];
    a.claim(1);
    let isGranted = false;
    line.ask(b, 5 * ROOM_BYTES, () => (isGranted = true));
    expect([isGranted, b.load.waiting]).toEqual([false, 1]);
    line.give(a, 1);
    expect([isGranted, a.claim(1)]).toEqual([true, false]);
    line.give(b, 5 * ROOM_BYTES);
    expect(a.load).toEqual({ bytes: 0, limit: ROOM_BYTES, waiting: 0 });
  });
  test('a closed link gives back its claims and its turn', () => {
    const shared = makeRoom();
    const [gone, b, line] = [roomOf(shared), roomOf(shared), new RoomLine()];
    gone.claim(9 * MB);
    gone.claim(6 * MB);
    let isGranted = false;
    const leave = line.ask(gone, 2 * MB, () => {});
    line.ask(b, 3 * MB, () => (isGranted = true));
    leave();
    // A commit of six megabytes is still in the queue.
    line.leave(gone, 6 * MB);
    expect([isGranted, b.load.bytes]).toEqual([true, 9 * MB]);
    line.give(gone, 6 * MB);
    expect(b.load).toEqual({ bytes: 3 * MB, limit: ROOM_BYTES, waiting: 0 });
  });
});

test('all logs of a process together have no more bytes on the way to the writer than its room, and every commit ends up in the log', async () => {
  await withFolder(async (path) => {
    const logs = await Promise.all(Array.from({ length: 6 }, () => openPort(lmdb(path))));
    await logs[0]!.ensure([topicOf(letters).shape]);
    const { port, room, claims } = (await (await loadLogModule(lmdb(path))).share(logs[0]!)).data as Line;
    // All of the room is claimed until every commit waits for some.
    expect(new Room(room, claims).claim(ROOM_BYTES)).toBe(true);
    const packer = new RecordPacker('letters', 1);
    packer.add('k', Buffer.alloc(MB / 4), 0);
    const appends = packer.take();
    let left = 120;
    const commit = (log: Log): Promise<unknown> => log.commit({ group: '', epoch: 0, stores: [], positions: [], appends }).finally(() => left--);
    const commits = logs.flatMap((log) => Array.from({ length: 20 }, () => commit(log)));
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    while (logs[0]!.queue!.waiting < 120) await turn();
    port.postMessage({ type: 'spare', bytes: ROOM_BYTES } satisfies WriterRequest);
    let most = 0;
    for (; left > 0; await turn()) most = Math.max(most, logs[0]!.queue!.bytes);
    await Promise.all(commits);
    expect(most).toBeLessThanOrEqual(ROOM_BYTES);
    port.close();
    expect(logs[0]!.queue).toEqual({ bytes: 0, limit: ROOM_BYTES, waiting: 0 });
    expect((await logs[0]!.offsets([{ topic: 'letters', partition: 0 }], 'latest'))[0]!.offset).toBe(120n);
    await Promise.all(logs.map((log) => log[Symbol.asyncDispose]()));
  });
});
