import { describe, expect, test } from 'vitest';
import { step, type Sighting, type Watched } from './watchdog.ts';

const HANG_AFTER = 1_000;
/** Looks at the sightings a time apart each; when it was first said to hang, and for how long. */
const look = (sightings: readonly Sighting[], apart: number): readonly (number | undefined)[] => {
  let state: Watched | undefined;
  return sightings.map((seen, i) => {
    const [next, hangs] = step(state, seen, i * apart, HANG_AFTER);
    state = next;
    return hangs?.forMs;
  });
};
const inside = (record: number): Sighting => ({ record, inside: true });
const outside = (record: number): Sighting => ({ record, inside: false });

describe('an actor hangs', () => {
  test('when it has been inside one record for as long as may be, and not before', () => {
    expect(look([inside(1), inside(1), inside(1), inside(1)], 400)).toEqual([undefined, undefined, undefined, 1_200]);
  });
  test('not while it goes from record to record, however busy it is', () => {
    expect(
      look(
        Array.from({ length: 100 }, (_, i) => inside(2 * i + 1)),
        999,
      ),
    ).toEqual(Array.from({ length: 100 }, () => undefined));
  });
  test('not while it waits outside a record, however long', () => {
    expect(
      look(
        Array.from({ length: 100 }, () => outside(2)),
        60_000,
      ),
    ).toEqual(Array.from({ length: 100 }, () => undefined));
  });
  test('counted from when it was first seen inside, also after a rest', () => {
    expect(look([inside(1), outside(2), inside(3), inside(3), inside(3)], 600)).toEqual([undefined, undefined, undefined, undefined, 1_200]);
  });
});
