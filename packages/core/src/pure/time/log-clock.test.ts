import { describe, expect, test } from 'vitest';
import { FOLLOW_AFTER_MS, stampOf, step, type LogClock, type LogClockEffect } from './log-clock.ts';

const DAY = 24 * 3_600_000;
const YEAR = 365 * DAY;
const START = Date.UTC(2026, 0, 15);

/** A machine with a wall clock that a test sets, and a monotonic one that runs. */
const machine = (): {
  readonly state: () => LogClock;
  readonly jump: (byMs: number) => void;
  readonly run: (ms: number, everyMs?: number) => void;
  readonly restart: (pauseMs: number) => void;
  readonly effects: LogClockEffect[];
  readonly wall: () => number;
} => {
  let wall = START;
  const effects: LogClockEffect[] = [];
  let state: LogClock = step(undefined, { type: 'opened', wall })[0];
  const take = (event: Parameters<typeof step>[1]): void => {
    const [next, seen] = step(state, event);
    state = next;
    effects.push(...seen);
  };
  return {
    state: () => state,
    wall: () => wall,
    effects,
    jump: (byMs) => void (wall += byMs),
    run: (ms, everyMs = 1_000) => {
      for (let passed = 0; passed < ms; passed += everyMs) {
        wall += everyMs;
        take({ type: 'looked', wall, elapsedMs: everyMs });
      }
    },
    restart: (pauseMs) => {
      wall += pauseMs;
      take({ type: 'opened', wall });
    },
  };
};

describe('the clock of a log', () => {
  test('the clock of a log is the wall clock while that runs evenly', () => {
    const { state, run, wall, effects } = machine();
    run(DAY, 60_000);
    expect(state()).toEqual({ time: wall(), off: undefined });
    expect(effects).toEqual([]);
  });
  test.each([
    ['a day ahead for three seconds', DAY, 3_000],
    ['ten years ahead for a minute', 10 * YEAR, 60_000],
    ['a day back for a minute', -DAY, 60_000],
  ])('the clock of a log runs on evenly beside a wall clock that is %s', (_, byMs, forMs) => {
    const { state, jump, run, wall, effects } = machine();
    run(10_000);
    jump(byMs);
    run(forMs);
    expect(state().time).toBe(START + 10_000 + forMs);
    expect(state().off?.byMs).toBe(byMs);
    jump(-byMs);
    run(1_000);
    expect(state()).toEqual({ time: wall(), off: undefined });
    expect(effects).toEqual([{ type: 'jumped', byMs }]);
  });
  test('the clock of a log does not follow a jump across a restart, nor one while the process was down', () => {
    const { state, jump, run, restart } = machine();
    jump(DAY);
    run(3_000);
    restart(2_000);
    run(1_000);
    expect(state().time).toBe(START + 4_000);
    jump(-DAY);
    restart(2_000);
    run(1_000);
    expect(state()).toMatchObject({ time: START + 5_000, off: { byMs: 4_000 } });
  });
  test('the clock of a log follows a wall clock that has kept its time for an hour, forwards and back, and counts the hour across restarts', () => {
    const { state, jump, run, restart, wall, effects } = machine();
    jump(9 * DAY);
    run(FOLLOW_AFTER_MS / 2, 10_000);
    restart(5_000);
    run(FOLLOW_AFTER_MS / 2 - 10_000, 10_000);
    expect(state().time).toBeLessThan(START + DAY);
    run(30_000, 10_000);
    expect(state()).toEqual({ time: wall(), off: undefined });
    jump(-YEAR);
    run(FOLLOW_AFTER_MS + 20_000, 10_000);
    expect(state()).toEqual({ time: wall(), off: undefined });
    expect(effects.map(({ type }) => type)).toEqual(['jumped', 'followed', 'jumped', 'followed']);
  });
  test('another jump begins the hour again', () => {
    const { state, jump, run } = machine();
    jump(DAY);
    run(FOLLOW_AFTER_MS - 60_000, 10_000);
    jump(DAY);
    run(FOLLOW_AFTER_MS - 60_000, 10_000);
    expect(state().off?.byMs).toBe(2 * DAY);
    expect(state().time).toBeLessThan(START + DAY);
  });
  test('a record is stamped with the later of the two readings', () => {
    const { state, jump, run, wall } = machine();
    jump(DAY);
    run(1_000);
    expect(stampOf(state(), wall())).toBe(wall());
    jump(-3 * DAY);
    run(1_000);
    expect(stampOf(state(), wall())).toBe(state().time);
  });
});
