import { isStoplogError, type StoplogError } from '@stoplog/core';
import { concat, EMPTY, from, NEVER, Observable, of, Subject, throwError } from 'rxjs';
import { describe, expect, test, vi } from 'vitest';
import { fromObservable, type FromObservable } from './from-observable.ts';
import type { Dropped } from './observable-reader.ts';

const never = new AbortController().signal;
const ALL = { records: 1_000, bytes: 1_000_000 };
const ONE = { records: 1, bytes: 1_000_000 };
const START = { group: 'g', partition: 0, position: 0n };
const spec = (over: Partial<FromObservable> = {}): FromObservable => ({ buffer: 10, overflow: 'fail', ...over });
const refusal = async (call: Promise<unknown>): Promise<StoplogError> => {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isStoplogError(error)) throw new Error(`no refusal, but ${String(error)}`);
  return error;
};

describe('a source from an Observable', () => {
  test('a source subscribes when it is opened, not when it is declared', async () => {
    const opened = vi.fn(() => NEVER);
    const source = fromObservable('ticks', opened, spec());
    expect(opened).not.toHaveBeenCalled();
    await source.open(START);
    expect(opened).toHaveBeenCalledOnce();
  });
  test('a source keeps pushed values until they are pulled, with a number as key and the time of arrival', async () => {
    let at = 100;
    const ticks = new Subject<string>();
    const reader = await fromObservable('ticks', () => ticks, spec({ now: () => at++ })).open(START);
    ticks.next('a');
    ticks.next('b');
    expect(await reader.pull(ONE, never)).toEqual({ arrivals: [{ key: '0', value: 'a', timestamp: 100 }], ended: false });
    expect(await reader.pull(ALL, never)).toEqual({ arrivals: [{ key: '1', value: 'b', timestamp: 101 }], ended: false });
  });
  test('a pull waits until an arrival is there', async () => {
    const ticks = new Subject<string>();
    const reader = await fromObservable('ticks', () => ticks, spec({ now: () => 1 })).open(START);
    const pull = reader.pull(ALL, never);
    ticks.next('late');
    expect(await pull).toEqual({ arrivals: [{ key: '0', value: 'late', timestamp: 1 }], ended: false });
  });
  test('aborting the signal ends a pull with nothing, and leaves nothing on the signal', async () => {
    const stop = new AbortController();
    const removed = vi.spyOn(stop.signal, 'removeEventListener');
    const ticks = new Subject<string>();
    const reader = await fromObservable('ticks', () => ticks, spec()).open(START);
    const first = reader.pull(ALL, stop.signal);
    ticks.next('a');
    await first;
    expect(removed).toHaveBeenCalledOnce();
    const second = reader.pull(ALL, stop.signal);
    stop.abort();
    expect(await second).toEqual({ arrivals: [], ended: false });
    expect(await reader.pull(ALL, stop.signal)).toEqual({ arrivals: [], ended: false });
  });
  test('completion ends the source, after the last arrival', async () => {
    const reader = await fromObservable('ticks', () => of('a', 'b'), spec()).open(START);
    expect(await reader.pull(ONE, never)).toMatchObject({ ended: false });
    expect(await reader.pull(ALL, never)).toMatchObject({ arrivals: [{ value: 'b' }], ended: true });
    const empty = await fromObservable('ticks', () => EMPTY, spec()).open(START);
    expect(await empty.pull(ALL, never)).toEqual({ arrivals: [], ended: true });
  });
  test('an error of the Observable is STOPLOG_SOURCE with its cause, after the arrivals before it', async () => {
    const cause = new Error('the sensor is gone');
    const reader = await fromObservable(
      'ticks',
      () =>
        concat(
          of('a'),
          throwError(() => cause),
        ),
      spec(),
    ).open(START);
    expect(await reader.pull(ALL, never)).toMatchObject({ arrivals: [{ value: 'a' }], ended: false });
    const error = await refusal(reader.pull(ALL, never));
    expect(error).toMatchObject({ code: 'STOPLOG_SOURCE', cause, facts: { source: 'ticks' } });
    expect(error.message).toContain('the sensor is gone');
  });
  test('an error ends a waiting pull, even one from a function that opens nothing', async () => {
    const ticks = new Subject<string>();
    const reader = await fromObservable('ticks', () => ticks, spec()).open(START);
    const pull = refusal(reader.pull(ALL, never));
    ticks.error('not even an Error');
    expect((await pull).message).toContain('not even an Error');
    const broken = fromObservable(
      'ticks',
      () => {
        throw new Error('no such device');
      },
      spec(),
    );
    expect((await refusal((await broken.open(START)).pull(ALL, never))).message).toContain('no such device');
  });
  test('overflow: a source that fails keeps the arrivals that fit, then fails and unsubscribes', async () => {
    const torn = vi.fn();
    const endless = new Observable<number>((subscriber) => {
      for (let n = 0; !subscriber.closed; n++) subscriber.next(n);
      return torn;
    });
    const reader = await fromObservable('ticks', () => endless, spec({ buffer: 2 })).open(START);
    expect(torn).toHaveBeenCalledOnce();
    expect(await reader.pull(ALL, never)).toMatchObject({ arrivals: [{ value: 0 }, { value: 1 }], ended: false });
    expect(await refusal(reader.pull(ALL, never))).toMatchObject({ code: 'STOPLOG_SOURCE', facts: { buffer: 2 } });
  });
  test('dropped arrivals are counted, and reported once a second at most', async () => {
    vi.useFakeTimers();
    try {
      const reported: Dropped[] = [];
      const ticks = new Subject<number>();
      const reader = await fromObservable(
        'ticks',
        () => ticks,
        spec({ buffer: 2, overflow: 'drop-oldest', dropped: (dropped) => reported.push(dropped) }),
      ).open(START);
      for (let n = 0; n < 5; n++) ticks.next(n);
      expect(reported).toEqual([]);
      vi.advanceTimersByTime(1_000);
      expect(reported).toEqual([{ source: 'ticks', arrivals: 3, arrivalsInAll: 3 }]);
      expect(await reader.pull(ALL, never)).toMatchObject({
        arrivals: [
          { key: '3', value: 3 },
          { key: '4', value: 4 },
        ],
      });
      for (let n = 5; n < 8; n++) ticks.next(n);
      await reader[Symbol.asyncDispose]();
      expect(reported.at(-1)).toEqual({ source: 'ticks', arrivals: 1, arrivalsInAll: 4 });
      vi.advanceTimersByTime(10_000);
      expect(reported).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });
  test('disposing of the source unsubscribes', async () => {
    const ticks = new Subject<string>();
    const reader = await fromObservable('ticks', () => ticks, spec()).open(START);
    expect(ticks.observed).toBe(true);
    await reader[Symbol.asyncDispose]();
    expect(ticks.observed).toBe(false);
    await reader[Symbol.asyncDispose]();
  });
  test('each opening is a subscription of its own, with numbers from 0', async () => {
    const source = fromObservable('ticks', () => from(['a']), spec());
    for (let incarnation = 0; incarnation < 2; incarnation++)
      expect(await (await source.open(START)).pull(ALL, never)).toMatchObject({ arrivals: [{ key: '0', value: 'a' }] });
  });
  test('an invalid buffer, overflow or name is refused where it is declared', () => {
    for (const buffer of [0, -1, 1.5, NaN, Infinity])
      expect(() => fromObservable('ticks', () => NEVER, spec({ buffer }))).toThrow(/the buffer of source 'ticks'/);
    // @ts-expect-error not one of the three
    expect(() => fromObservable('ticks', () => NEVER, { buffer: 1, overflow: 'block' })).toThrow(/'drop-oldest', 'drop-newest' or 'fail'/);
    expect(() => fromObservable('a name', () => NEVER, spec())).toThrow(expect.objectContaining({ code: 'STOPLOG_NAME' }));
  });
});
