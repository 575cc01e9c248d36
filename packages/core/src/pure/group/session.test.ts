import { describe, expect, test } from 'vitest';
import { heartbeatMs, SESSION_MS, step, type Beating, type WatchEffect, type Watching } from './session.ts';

const member = (beat: number, rest: Partial<Beating> = {}): Beating => ({ id: 'a', beat, sessionMs: SESSION_MS, isStatic: false, alive: true, ...rest });
/** The verdicts of a watcher at each look. */
const watch = (...looks: readonly (readonly [at: number, ...found: readonly Beating[]])[]): readonly (readonly WatchEffect[])[] => {
  let state: Watching | undefined;
  return looks.map(([at, ...found]) => {
    const [next, effects] = step(state, { type: 'looked', found, at });
    state = next;
    return effects;
  });
};
const LOOK = 500;
const still = (looks: number, rest: Partial<Beating> = {}): readonly (readonly [number, Beating])[] =>
  Array.from({ length: looks }, (_, i) => [i * LOOK, member(7, rest)]);

describe('a watcher of heartbeats', () => {
  test('a member whose heartbeat moves is never removed, however long it lives', () => {
    expect(watch(...Array.from({ length: 100 }, (_, i) => [i * heartbeatMs(SESSION_MS), member(i)] as const)).flat()).toEqual([]);
  });
  test('a member is removed when its heartbeat has stood still for its session, not a look sooner, and the verdict names the heartbeat seen', () => {
    const said = watch(...still(SESSION_MS / LOOK + 1));
    expect(said.slice(0, -1).flat()).toEqual([]);
    expect(said.at(-1)).toEqual([{ type: 'expire', id: 'a', beat: 7, why: 'silent' }]);
  });
  test("each member is measured by its own session, from the watcher's first look at it", () => {
    const both = watch(...Array.from({ length: 5 }, (_, i) => [1e9 + i * LOOK, member(7, { sessionMs: 2_000 }), member(1, { id: 'b' })] as const));
    expect(both.map((effects) => effects.map(({ id }) => id))).toEqual([[], [], [], [], ['a']]);
  });
  test('a dynamic member is removed at once when its process is gone; a static one may rejoin within its session', () => {
    expect(watch([0, member(7, { alive: false })])).toEqual([[{ type: 'expire', id: 'a', beat: 7, why: 'gone' }]]);
    const said = watch(...still(SESSION_MS / LOOK + 1, { alive: false, isStatic: true }));
    expect([said.slice(0, -1).flat(), said.at(-1)]).toEqual([[], [expect.objectContaining({ why: 'silent' })]]);
  });
  test('a watcher that stood still itself does not count its long gap as a session', () => {
    expect(watch([0, member(7)], [60_000, member(7)], [120_000, member(8)]).flat()).toEqual([]);
    expect(watch([0, member(7)], [60_000, member(7)], [120_000, member(7)], [180_000, member(7)]).flat().length).toBe(1);
  });
  test('a member that is gone is forgotten: another one under the same id is watched from the start', () => {
    expect(watch([0, member(7)], [9_000], [9_500, member(7)], [10_500, member(7)]).flat()).toEqual([]);
  });
});
test('three heartbeats fit into any session', () => {
  for (const session of [100, 1_000, SESSION_MS, 3_600_000]) expect(3 * heartbeatMs(session)).toBeLessThan(session);
});
