import { StoplogError } from '@stoplog/core';
import type { Log, Source, SourceReader } from '@stoplog/core/port';
import { describe, expect, test, vi } from 'vitest';
import { Beacon, makeBeacon } from './beacon.ts';
import { EndingSignal } from './ending.ts';
import { openSource, SourceActor, type SourceActorParts } from './source-actor.ts';

const START = { group: 'g', partition: 0, position: 0n };
const readerOf = (over: Partial<SourceReader>): SourceReader => ({
  pull: () => Promise.resolve({ arrivals: [], ended: true }),
  acknowledge: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
  ...over,
});
const sourceOf = (open: () => Promise<SourceReader>): Source<unknown, unknown> => ({ kind: 'source', name: 'queue', open });
const actorOf = (
  reader: SourceReader,
  ending: EndingSignal,
  over: { readonly emit?: SourceActorParts['emit']; readonly log?: Partial<Log> } = {},
): SourceActor =>
  new SourceActor({
    group: 'g',
    epoch: 1,
    life: 'a',
    name: 'queue',
    partition: 2,
    position: 40n,
    source: { reader },
    emit: over.emit ?? (() => {}),
    outputs: [],
    log: over.log as Log,
    beacon: new Beacon(makeBeacon()),
    ending,
    now: () => 0,
    idle: () => {},
  });

describe('opening a source', () => {
  test('an actor that is to end does not wait for one that does not open, and closes it should it open later', async () => {
    let open = (_: SourceReader): void => {};
    const ending = new EndingSignal();
    const opening = openSource(
      sourceOf(
        () =>
          new Promise((resolve) => {
            open = resolve;
          }),
      ),
      START,
      undefined,
      ending,
    );
    ending.end('drain');
    await expect(opening).rejects.toMatchObject({ code: 'STOPLOG_SOURCE' });
    const closed = new Promise<void>((resolve) => open(readerOf({ [Symbol.asyncDispose]: async () => resolve() })));
    await closed;
  });
  test('what it fails with is STOPLOG_SOURCE, unless it has a code already', async () => {
    const cause = new Error('no such queue');
    await expect(
      openSource(
        sourceOf(() => Promise.reject(cause)),
        START,
        undefined,
        new EndingSignal(),
      ),
    ).rejects.toMatchObject({ code: 'STOPLOG_SOURCE', cause, facts: { source: 'queue' } });
    const own = new StoplogError('STOPLOG_USAGE', {}, 'wrong');
    await expect(
      openSource(
        sourceOf(() => Promise.reject(own)),
        START,
        undefined,
        new EndingSignal(),
      ),
    ).rejects.toBe(own);
  });
});

const arrival = { key: 'k', value: 1, timestamp: 0, item: 'receipt' };

describe('an actor of a source', () => {
  test('a pull that fails is STOPLOG_SOURCE, and a close that fails does not hide it', async () => {
    const actor = actorOf(
      readerOf({ pull: () => Promise.reject(new Error('connection lost')), [Symbol.asyncDispose]: () => Promise.reject(new Error('and cannot be closed')) }),
      new EndingSignal(),
    );
    await expect(actor.turn()).rejects.toMatchObject({ code: 'STOPLOG_SOURCE', message: expect.stringContaining('connection lost') as string });
    await actor.quiet();
  });
  test('acknowledges a batch when what was made of it is durable, and not before', async () => {
    let durable = (): void => {};
    const acknowledge = vi.fn(() => Promise.resolve());
    const commit = vi.fn(() =>
      Promise.resolve({
        offsets: [],
        durable: new Promise<void>((resolve) => {
          durable = resolve;
        }),
      }),
    );
    const actor = actorOf(readerOf({ pull: () => Promise.resolve({ arrivals: [arrival], ended: false }), acknowledge }), new EndingSignal(), {
      log: { commit },
    });
    const turn = actor.turn();
    await vi.waitFor(() => expect(commit).toHaveBeenCalledOnce());
    expect(commit).toHaveBeenCalledWith(expect.objectContaining({ epoch: 1, positions: [{ topic: 'source:queue', partition: 2, from: 40n, to: 41n }] }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(acknowledge).not.toHaveBeenCalled();
    durable();
    await turn;
    expect(acknowledge).toHaveBeenCalledExactlyOnceWith(['receipt'], 41n);
  });
  test('commits the position that the source gives, also where nothing arrived', async () => {
    const commit = vi.fn(() => Promise.resolve({ offsets: [], durable: Promise.resolve() }));
    const pull = vi
      .fn<SourceReader['pull']>()
      .mockResolvedValueOnce({ arrivals: [arrival], position: 812n, ended: false })
      .mockResolvedValueOnce({ arrivals: [], position: 812n, ended: false })
      .mockResolvedValueOnce({ arrivals: [], position: 815n, ended: false });
    const acknowledge = vi.fn(() => Promise.resolve());
    const actor = actorOf(readerOf({ pull, acknowledge }), new EndingSignal(), { log: { commit } });
    for (let turn = 0; turn < 3; turn++) await actor.turn();
    const moves = commit.mock.calls.map((call: readonly unknown[]) => (call[0] as { readonly positions: readonly unknown[] }).positions[0]);
    expect(moves).toEqual([
      { topic: 'source:queue', partition: 2, from: 40n, to: 812n },
      { topic: 'source:queue', partition: 2, from: 812n, to: 815n },
    ]);
    expect(acknowledge.mock.calls).toEqual([
      [['receipt'], 812n],
      [[], 815n],
    ]);
  });
  test('releases the arrivals of a batch whose handler threw, and acknowledges none of them', async () => {
    const [acknowledge, release] = [vi.fn(() => Promise.resolve()), vi.fn(() => Promise.resolve())];
    const reader = readerOf({ pull: () => Promise.resolve({ arrivals: [arrival], ended: false }), acknowledge, release });
    const emit = (): void => {
      throw new Error('boom');
    };
    await expect(actorOf(reader, new EndingSignal(), { emit }).turn()).rejects.toMatchObject({ code: 'STOPLOG_HANDLER' });
    expect(release).toHaveBeenCalledExactlyOnceWith(['receipt'], 0);
    expect(acknowledge).not.toHaveBeenCalled();
  });
  test('hands a handler the headers and the time of an arrival', async () => {
    const emit = vi.fn();
    const headers = [{ name: 'trace', value: Uint8Array.of(7) }];
    const reader = readerOf({ pull: () => Promise.resolve({ arrivals: [{ ...arrival, timestamp: 5, headers }], ended: false }) });
    const commit = vi.fn(() => Promise.resolve({ offsets: [], durable: Promise.resolve() }));
    await actorOf(reader, new EndingSignal(), { emit, log: { commit } }).turn();
    expect(emit).toHaveBeenCalledExactlyOnceWith({ key: 'k', value: 1, timestamp: 5, headers, offset: 0n, topic: 'queue', partition: 2 });
  });
  test('a batch whose commit is refused is not acknowledged', async () => {
    const acknowledge = vi.fn(() => Promise.resolve());
    const commit = vi.fn(() => Promise.reject(new StoplogError('STOPLOG_FENCED', {}, 'another owner')));
    const actor = actorOf(readerOf({ pull: () => Promise.resolve({ arrivals: [arrival], ended: false }), acknowledge }), new EndingSignal(), {
      log: { commit },
    });
    await expect(actor.turn()).rejects.toMatchObject({ code: 'STOPLOG_FENCED' });
    expect(acknowledge).not.toHaveBeenCalled();
  });
  test('one whose handler threw is inside no record any more: what it still waits for is not a hanging handler', async () => {
    const beacon = new Beacon(makeBeacon());
    const reader = readerOf({ pull: () => Promise.resolve({ arrivals: [{ key: 'k', value: 1, timestamp: 0 }], ended: false }) });
    const actor = new SourceActor({
      group: 'g',
      epoch: 1,
      life: 'a',
      name: 'queue',
      partition: 0,
      position: 0n,
      source: { reader },
      emit: () => {
        throw new Error('boom');
      },
      outputs: [],
      log: {} as Log,
      beacon,
      ending: new EndingSignal(),
      now: () => 0,
      idle: () => {},
    });
    await expect(actor.turn()).rejects.toMatchObject({ code: 'STOPLOG_HANDLER' });
    expect(beacon.sighting().inside).toBe(false);
    expect(beacon.place(['queue'], 0)).toEqual({ topic: 'queue', partition: 0, offset: 0n });
  });
});
