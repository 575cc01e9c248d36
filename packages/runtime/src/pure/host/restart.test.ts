import { describe, expect, test } from 'vitest';
import { ATTEMPTS_AT_ONE_RECORD, backoffMs, NO_FAILURES, ran, step, worked, type Failures, type RestartEffect, type RestartEvent } from './restart.ts';

const failed = (place: string, at: number, code: RestartEvent['code'] = 'STOPLOG_HANDLER'): RestartEvent => ({ type: 'failed', code, place, at });
/** All effects of a run of failures. */
const run = (events: readonly RestartEvent[], from: Failures = NO_FAILURES): readonly [Failures, readonly RestartEffect[]] => {
  let state = from;
  const effects = events.map((event) => {
    const [next, effect] = step(state, event);
    state = next;
    return effect;
  });
  return [state, effects];
};

describe('an actor that failed', () => {
  test('an actor is restarted after ever longer waits, and fails its partition at the fifth failure at one record', () => {
    const [, effects] = run(Array.from({ length: ATTEMPTS_AT_ONE_RECORD }, (_, i) => failed('orders:0:7', i * 1_000)));
    expect(effects).toEqual([
      { type: 'restart', afterMs: 100, failures: 1 },
      { type: 'restart', afterMs: 200, failures: 2 },
      { type: 'restart', afterMs: 400, failures: expect.any(Number) },
      { type: 'restart', afterMs: 800, failures: expect.any(Number) },
      { type: 'stop', failures: 5 },
    ]);
  });
  test('an actor fails its partition at the thirtieth failure in ten minutes, wherever the failures were', () => {
    const [, effects] = run(Array.from({ length: 30 }, (_, i) => failed(`orders:0:${i}`, i * 1_000)));
    expect(effects.slice(0, 29)).toEqual(Array.from({ length: 29 }, () => ({ type: 'restart', afterMs: 100, failures: expect.any(Number) })));
    expect(effects[29]).toEqual({ type: 'stop', failures: 1 });
  });
  test('an actor fails its partition at the first failure that another try cannot help', () => {
    expect(step(NO_FAILURES, { ...failed('orders:0:7', 0), isFinal: true })[1]).toEqual({ type: 'stop', failures: 1 });
  });
  test('failures more than ten minutes ago do not count', () => {
    const [, effects] = run(Array.from({ length: 40 }, (_, i) => failed('orders:0:7', i * 11 * 60_000)));
    expect(effects).toEqual(Array.from({ length: 40 }, () => ({ type: 'restart', afterMs: 100, failures: 1 })));
  });
  test('a broken invariant counts as a failure of the handler: no code is no excuse', () => {
    const [, effects] = run(Array.from({ length: 5 }, () => failed('nowhere', 0, undefined)));
    expect(effects.at(-1)).toMatchObject({ type: 'stop' });
  });
  test.each(['STOPLOG_PIPELINE_MODULE', 'STOPLOG_TOPOLOGY', 'STOPLOG_STORE_VERSION', 'STOPLOG_STORE_OWNER', 'STOPLOG_TOPIC_SHAPE'] as const)(
    '%s ends the app: another try cannot help',
    (code) => {
      expect(step(NO_FAILURES, failed('nowhere', 0, code))).toEqual([NO_FAILURES, { type: 'fatal' }]);
    },
  );
});

describe('an actor whose log refused a commit', () => {
  test.each(['STOPLOG_LOG_FULL', 'STOPLOG_LOG_UNAVAILABLE', 'STOPLOG_FENCED'] as const)(
    '%s restarts the actor without a limit, five seconds apart at most',
    (code) => {
      const [state, effects] = run(Array.from({ length: 100 }, (_, i) => failed('nowhere', i, code)));
      expect(effects.slice(0, 7).map((effect) => effect.type === 'restart' && effect.afterMs)).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000]);
      expect(effects.at(-1)).toEqual({ type: 'restart', afterMs: 5_000, failures: expect.any(Number) });
      expect(state.recent).toEqual([]);
    },
  );
  test('an outage of a source is retried without a limit, and another failure of the source is not', () => {
    const failing = (over: object): readonly string[] => {
      let state = NO_FAILURES;
      return Array.from({ length: 40 }, (_, n) => {
        const [next, effect] = step(state, { ...failed('nowhere', n, 'STOPLOG_SOURCE'), ...over });
        state = next;
        return effect.type;
      });
    };
    expect(new Set(failing({ isOutage: true }))).toEqual(new Set(['restart']));
    expect(failing({}).indexOf('stop')).toBe(4);
  });
  test('a log that takes no more commits of this process ends the app', () => {
    const gone = { ...failed('nowhere', 0, 'STOPLOG_LOG_UNAVAILABLE'), isFinal: true };
    expect(step(NO_FAILURES, gone)[1]).toEqual({ type: 'fatal' });
  });
  test('the wait starts from the beginning again after a commit', () => {
    const [state] = run(Array.from({ length: 10 }, (_, i) => failed('nowhere', i, 'STOPLOG_LOG_FULL')));
    expect(step(worked(state), failed('nowhere', 20, 'STOPLOG_LOG_FULL'))[1]).toEqual({ type: 'restart', afterMs: 100, failures: expect.any(Number) });
  });
  test('a commit does not reset the failures of a handler: a poisoned record is behind records that are fine', () => {
    let state: Failures = NO_FAILURES;
    const effects = Array.from({ length: 5 }, (_, i) => {
      const [next, effect] = step(worked(state), failed('orders:0:7', i));
      state = next;
      return effect.type;
    });
    expect(effects).toEqual(['restart', 'restart', 'restart', 'restart', 'stop']);
  });
});

describe('an actor that has too few files to load its modules', () => {
  const CODE = 'STOPLOG_TOO_FEW_FILES';
  /** The effects when each try fails at once, until no further try comes. */
  const tried = (from: Failures): readonly RestartEffect[] => {
    const effects: RestartEffect[] = [];
    for (let [state, at] = [from, 1_000]; effects.length < 1_000;) {
      const [next, effect] = step(state, failed('nowhere', at, CODE));
      effects.push(effect);
      if (effect.type !== 'restart') break;
      [state, at] = [next, at + effect.afterMs];
    }
    return effects;
  };
  const waited = (effects: readonly RestartEffect[]): number => effects.reduce((sum, effect) => sum + (effect.type === 'restart' ? effect.afterMs : 0), 0);

  test('an actor is restarted after ever longer waits, and ends the app when it has never run and eight seconds are over', () => {
    const effects = tried(NO_FAILURES);
    expect(effects.slice(0, 6).map((effect) => effect.type === 'restart' && effect.afterMs)).toEqual([100, 200, 400, 800, 1_600, 2_000]);
    expect(effects.at(-1)).toEqual({ type: 'fatal' });
    expect(waited(effects)).toBeGreaterThanOrEqual(8_000);
    expect(waited(effects)).toBeLessThanOrEqual(10_000);
  });
  test('an actor that has run is restarted without a limit, two seconds apart at most', () => {
    const effects = tried(ran(NO_FAILURES));
    expect(effects).toHaveLength(1_000);
    expect(effects.at(-1)).toEqual({ type: 'restart', afterMs: 2_000, failures: expect.any(Number) });
  });
  test('the partition does not fail for a lack of files, and other failures still count', () => {
    const [state] = run([failed('orders:0:7', 0), failed('nowhere', 1, CODE), failed('nowhere', 2, CODE)]);
    expect(state.recent).toEqual([{ at: 0, place: 'orders:0:7' }]);
    expect(ran(state).recent).toEqual(state.recent);
  });
  test('the wait starts from the beginning again after the actor has run, and not before', () => {
    const [state] = run(Array.from({ length: 5 }, (_, i) => failed('nowhere', i, CODE)));
    expect(step(ran(state), failed('nowhere', 60_000, CODE))[1]).toEqual({ type: 'restart', afterMs: 2_000, failures: expect.any(Number) });
    expect(step(worked(state), failed('nowhere', 60_000, CODE))[1]).toEqual({ type: 'restart', afterMs: 100, failures: expect.any(Number) });
  });
});

test('a wait is never longer than five seconds, whatever the number of failures', () => {
  for (const attempt of [1, 10, 1_000, Number.MAX_SAFE_INTEGER]) expect(backoffMs(attempt)).toBeLessThanOrEqual(5_000);
  expect(backoffMs(1)).toBe(100);
});
