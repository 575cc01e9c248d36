import { describe, expect, test } from 'vitest';
import { BEAT_MS, LEASE_MS, NOBODY, step, type Ownership, type WatchEffect, type Watching } from './ownership.ts';

const owner = { instance: 'a', pid: 7, started: '1' };
const held = (beat: number, epoch = 3): Ownership => ({ epoch, owner, beat });
/** What a watcher does at each look. */
const watch = (...looks: readonly (readonly [at: number, found: Ownership, alive?: boolean])[]): readonly WatchEffect['type'][] => {
  let state: Watching | undefined;
  return looks.map(([at, found, ownerAlive = true]) => {
    const [next, effect] = step(state, { type: 'looked', found, ownerAlive, at });
    state = next;
    if (effect.type === 'take') expect(effect.epoch).toBe(found.epoch);
    return effect.type;
  });
};

describe('who waits for a group', () => {
  test('takes it at once when nobody holds it, or its owner has left or is known to be gone', () => {
    expect(watch([0, NOBODY])).toEqual(['take']);
    expect(watch([0, { epoch: 3, owner: null, beat: 9 }])).toEqual(['take']);
    expect(watch([0, held(1), false])).toEqual(['take']);
  });
  test('waits as long as the owner beats, however long that is', () => {
    const looks = Array.from({ length: 100 }, (_, i) => [i * BEAT_MS, held(i)] as const);
    expect(new Set(watch(...looks))).toEqual(new Set(['wait']));
  });
  test('takes it when the beat has stood still for a lease, and not a millisecond sooner', () => {
    expect(watch([0, held(1)], [LEASE_MS - 1, held(1)], [LEASE_MS, held(1)])).toEqual(['wait', 'wait', 'take']);
    expect(watch([0, held(1)], [LEASE_MS - 1, held(2)], [LEASE_MS, held(2)], [2 * LEASE_MS - 1, held(2)])).toEqual(['wait', 'wait', 'wait', 'take']);
  });
  test('counts from its own first look: a beat it has never seen move proves nothing', () => {
    expect(watch([1e9, held(500)], [1e9 + 1, held(500)])).toEqual(['wait', 'wait']);
  });
  test('starts anew when another owner has come meanwhile, also one whose beat is the same', () => {
    expect(watch([0, held(0, 3)], [LEASE_MS, held(0, 4)], [2 * LEASE_MS - 1, held(0, 4)])).toEqual(['wait', 'wait', 'wait']);
  });
  test('an owner that misses two beats in a row still holds its lease', () => {
    expect(3 * BEAT_MS).toBeLessThan(LEASE_MS);
  });
});
