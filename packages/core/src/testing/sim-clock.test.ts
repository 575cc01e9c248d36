import { describe, expect, test } from 'vitest';
import { simClock } from './sim-clock.ts';

const never = new AbortController().signal;

describe('a clock moved by hand', () => {
  test('a clock stands still until it is moved, and wakes due waiters in the order of their times', async () => {
    const clock = simClock(1_000);
    const woken: string[] = [];
    void clock.after(30, never).then(() => woken.push('late'));
    void clock.after(10, never).then(() => woken.push('early'));
    void clock.after(31, never).then(() => woken.push('later'));
    expect([clock.now(), clock.monotonic(), clock.sleeping]).toEqual([1_000, 0, 3]);
    clock.advance(30);
    await Promise.resolve();
    expect(woken).toEqual(['early', 'late']);
    expect([clock.now(), clock.monotonic(), clock.sleeping]).toEqual([1_030, 30, 1]);
  });
  test('an aborted wait ends at once and is forgotten', async () => {
    const clock = simClock();
    const stop = new AbortController();
    const waiting = clock.after(1_000, stop.signal);
    stop.abort();
    await waiting;
    expect(clock.sleeping).toBe(0);
    await clock.after(1_000, stop.signal);
  });
  test('a wall clock that is set back wakes no waiter and does not move the monotonic clock', () => {
    const clock = simClock(5_000);
    void clock.after(10, never);
    clock.setWall(0);
    expect([clock.now(), clock.monotonic(), clock.sleeping]).toEqual([0, 0, 1]);
    expect(() => clock.advance(-1)).toThrow(RangeError);
  });
});
