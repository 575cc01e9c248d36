import { describe, expect, test } from 'vitest';
import { step, type Sighting, type Watched } from './watchdog.ts';

const HANG_AFTER = 1_000;
/** Shows the sightings to the watchdog at equal intervals; returns when and for how long the actor was first reported to hang. */
const look = (sightings: readonly Sighting[], apart: number): readonly (number | undefined)[] => {
  let state: Watched | undefined;
  return sightings.map((seen, i) => {
    const [next, hangs] = step(state, seen, i * apart, HANG_AFTER);
    state = next;
    return hangs?.forMs;
  });
};
const inside = (record: number): Sighting => ({ activity: record, inside: true });
const outside = (record: number): Sighting => ({ activity: record, inside: false });

describe('an actor hangs', () => {
  test('an actor hangs when it has been inside one record for longer than allowed, and not before', () => {
    expect(look([inside(1), inside(1), inside(1), inside(1)], 400)).toEqual([undefined, undefined, undefined, 1_200]);
  });
  test('an actor does not hang while it goes from record to record, however busy it is', () => {
    expect(
      look(
        Array.from({ length: 100 }, (_, i) => inside(2 * i + 1)),
        999,
      ),
    ).toEqual(Array.from({ length: 100 }, () => undefined));
  });
  test('an actor does not hang while it waits outside a record, however long', () => {
    expect(
      look(
        Array.from({ length: 100 }, () => outside(2)),
        60_000,
      ),
    ).toEqual(Array.from({ length: 100 }, () => undefined));
  });
  test('an actor does not hang because the process was stopped, and is seen to hang soon after', () => {
    let state: Watched | undefined;
    const at = (ms: number): number | undefined => {
      const [next, hangs] = step(state, inside(1), ms, HANG_AFTER);
      state = next;
      return hangs?.forMs;
    };
    expect([0, 100, 3_600_000, 3_600_100, 3_600_399].map(at)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(at(3_600_400)).toBe(1_000);
  });
  test('a hang is measured from the first sighting inside the record, even after a rest', () => {
    expect(look([inside(1), outside(2), inside(3), inside(3), inside(3)], 500)).toEqual([undefined, undefined, undefined, undefined, 1_000]);
  });
});
