import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Beacon, makeBeacon } from './beacon.ts';

/** The two sides of one beacon: writer and reader see the same memory. */
const pair = (): readonly [Beacon, Beacon] => {
  const memory = makeBeacon();
  return [new Beacon(memory), new Beacon(memory)];
};

describe('a beacon', () => {
  test('a beacon shows from outside whether a record is being handled, and that it is another one', () => {
    const [actor, watcher] = pair();
    expect(watcher.sighting()).toEqual({ activity: 0, inside: false });
    actor.enter(0);
    const first = watcher.sighting();
    expect(first.inside).toBe(true);
    actor.leave();
    expect(watcher.sighting().inside).toBe(false);
    actor.enter(1);
    expect(watcher.sighting().inside).toBe(true);
    expect(watcher.sighting().activity).not.toBe(first.activity);
  });
  test('a beacon names the record, at any possible offset', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 62n }), fc.nat(2 ** 31 - 1), fc.nat(1), fc.nat(1_000), (base, delta, input, partition) => {
        const [actor, watcher] = pair();
        actor.at(input, base);
        actor.enter(delta);
        expect(watcher.place(['orders', 'customers'], partition)).toEqual({ topic: ['orders', 'customers'][input], partition, offset: base + BigInt(delta) });
      }),
    );
  });
  test('a beacon names the last record even when it is outside, and none for an actor without inputs', () => {
    const [actor, watcher] = pair();
    actor.at(0, 40n);
    actor.enter(2);
    actor.leave();
    expect(watcher.place(['orders'], 3)).toEqual({ topic: 'orders', partition: 3, offset: 42n });
    expect(watcher.place([], 0)).toBeUndefined();
  });
  test('a beacon names a timer and a commit, and then a record again', () => {
    const [actor, watcher] = pair();
    const seen = (): unknown => watcher.activity(['orders'], 3);
    actor.enterOther('tick', 0);
    expect(seen()).toEqual({ type: 'tick' });
    actor.leaveOther();
    expect(seen()).toBeUndefined();
    actor.at(0, 40n);
    actor.enter(2);
    expect(seen()).toEqual({ type: 'record', place: { topic: 'orders', partition: 3, offset: 42n } });
    actor.leave();
    actor.enterOther('commit', 12);
    expect(seen()).toEqual({ type: 'commit', place: { topic: 'orders', partition: 3, offset: 42n }, among: 12 });
    actor.leaveOther();
    actor.enter(3);
    expect(seen()).toMatchObject({ type: 'record' });
  });
  test('a beacon names no record before the first', () => {
    const [actor, watcher] = pair();
    actor.enterOther('commit', 0);
    expect(watcher.activity(['orders'], 3)).toEqual({ type: 'commit', place: undefined, among: 0 });
  });
  test('a beacon counts on when its number of records overflows', () => {
    const memory = makeBeacon();
    new Int32Array(memory)[0] = 2 ** 31 - 2;
    const beacon = new Beacon(memory);
    for (let i = 0; i < 4; i++) {
      beacon.enter(i);
      expect(beacon.sighting().inside).toBe(true);
      beacon.leave();
      expect(beacon.sighting().inside).toBe(false);
    }
  });
  test('a beacon names its thread once the actor runs in one', () => {
    const [actor, watcher] = pair();
    expect(watcher.thread).toBe(0);
    expect(actor.begin(7)).toBe(true);
    expect(watcher.thread).toBe(7);
    expect(watcher.callOff()).toBe(false);
    expect(watcher.thread).toBe(7);
  });
  test('a beacon that was called off never begins', () => {
    const [actor, watcher] = pair();
    expect(watcher.callOff()).toBe(true);
    expect(actor.begin(7)).toBe(false);
    expect(watcher.thread).not.toBe(7);
  });
});
