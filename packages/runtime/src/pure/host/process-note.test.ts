import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterWait, again, atEnd, begin, beforeStep, waitMs, noteBytes, noteInBytes, type Beginning, type ProcessNote } from './process-note.ts';

const PROGRAM = 'p 1';
const placeAt = (offset: number): { topic: string; partition: number; offset: bigint } => ({ topic: 'from', partition: 0, offset: BigInt(offset) });
const textOf = ({ type, ...rest }: Beginning): string => (type === 'careful' && 'pace' in rest ? `careful ${rest.pace} of ${rest.records}` : type);

interface Process {
  readonly at: number;
  readonly behind?: number;
  readonly program?: string;
  /** It dies in a step from here, or in the wait before it. */
  readonly stepAt?: number;
  readonly waitAt?: number;
}
/** Processes that died one after the other: how each began. */
const lived = (...processes: readonly Process[]): readonly string[] => {
  let found: ProcessNote | undefined;
  return processes.map(({ at, behind = 1_000, program = PROGRAM, stepAt, waitAt }) => {
    const [note, beginning] = begin(found, { program, at: String(at), sum: at, behind: BigInt(behind) });
    found = noteInBytes(noteBytes(note));
    const from = stepAt ?? waitAt;
    if (from !== undefined) {
      const before = beforeStep(found, String(from), { records: beginning.type === 'careful' ? beginning.pace : 1, first: placeAt(from) });
      found = noteInBytes(noteBytes(stepAt === undefined ? before : afterWait(before)));
    }
    return textOf(beginning);
  });
};
const times = (n: number, one: Process): readonly Process[] => Array.from({ length: n }, () => one);

describe('a unit whose processes died', () => {
  test('processes that are killed while they make progress begin as usual, however many', () => {
    expect(new Set(lived(...Array.from({ length: 300 }, (_, n) => ({ at: n }))))).toEqual(new Set(['normal']));
  });
  test('the fourth process at one position is careful, and no earlier one', () => {
    expect(lived(...times(4, { at: 7 }))).toEqual(['normal', 'normal', 'normal', 'careful 16 of 1000']);
  });
  test('processes that are killed before a suspect takes a step stay as careful as they were, however many', () => {
    expect(new Set(lived(...times(300, { at: 7 })).slice(3))).toEqual(new Set(['careful 16 of 1000']));
  });
  test('the record is found by ever smaller steps, is tried twice alone, and then the partition has failed', () => {
    expect(
      lived(
        ...times(3, { at: 0 }),
        { at: 0, stepAt: 32 },
        // Nothing of the step from 32 was kept, so this process begins there.
        { at: 32, stepAt: 40 },
        ...times(3, { at: 40, stepAt: 40 }),
        ...times(2, { at: 40 }),
      ).slice(3),
    ).toEqual(['careful 16 of 1000', 'careful 1 of 16', ...times(3, { at: 0 }).map(() => 'careful 1 of 1'), 'failed', 'failed']);
  });
  test('a process that is killed in a wait was killed from outside: the tries are counted again', () => {
    const waited = { at: 0, behind: 1, waitAt: 0 };
    const struck = { at: 0, behind: 1, stepAt: 0 };
    expect(new Set(lived(...times(3, { at: 0, behind: 1 }), ...times(3, struck), waited, ...times(2, struck), ...times(200, waited)).slice(3))).toEqual(
      new Set(['careful 1 of 1']),
    );
    expect(lived(...times(3, { at: 0, behind: 1 }), struck, waited, ...times(3, struck), { at: 0 }).at(-1)).toBe('failed');
  });
  test('a record is tried without a wait where it is not yet known, and with one where it is', () => {
    const first = { records: 1, first: placeAt(0) };
    expect(beforeStep({ program: PROGRAM, at: '0', deaths: 3, until: 9 }, '0', first).step?.waits).toBeUndefined();
    expect(beforeStep({ program: PROGRAM, at: '0', deaths: 3, until: 9, alone: 1 }, '0', first).step?.waits).toBe(true);
    expect(beforeStep({ program: PROGRAM, at: '0', deaths: 3, until: 9, alone: 1 }, '1', first).step?.waits).toBeUndefined();
    expect([waitMs(1, 2), waitMs(0.5, 100), waitMs(0, 100)]).toEqual([500, 2_500, 0]);
  });
  test('a suspect that was killed behind a committed step stays careful until it is past the suspect records', () => {
    expect(lived(...times(3, { at: 0 }), { at: 0, stepAt: 32 }, { at: 48 }, { at: 1_000 }).slice(3)).toEqual([
      'careful 16 of 1000',
      'careful 15 of 952',
      'normal',
    ]);
  });
  test('two units die of their own records: the one that did not take a step is as before', () => {
    const other = lived(...times(4, { at: 3, behind: 20 }), ...times(5, { at: 3, behind: 20 }));
    expect(other.slice(3)).toEqual(Array.from({ length: 6 }, () => 'careful 1 of 20'));
  });
  test('a unit without records to read is never suspect', () => {
    expect(new Set(lived(...times(20, { at: 7, behind: 0 })))).toEqual(new Set(['normal']));
  });
  test('another program begins as usual, and has one try at a record that was given up', () => {
    expect(lived(...times(3, { at: 0 }), { at: 0, program: 'p 2' })).toEqual(['normal', 'normal', 'normal', 'normal']);
    const dead = [...times(3, { at: 0, behind: 1 }), ...times(4, { at: 0, behind: 1, stepAt: 0 })];
    expect(lived(...dead, { at: 0, program: 'p 2', stepAt: 0 }, { at: 0, program: 'p 2' }).slice(7)).toEqual(['careful 1 of 1', 'failed']);
  });
  test('a group that was moved past the record begins as usual', () => {
    expect(lived(...times(3, { at: 0, behind: 1 }), ...times(4, { at: 0, behind: 1, stepAt: 0 }), { at: 0 }, { at: 1 }).slice(7)).toEqual(['failed', 'normal']);
  });
  test('a unit that comes back in another epoch is as suspect as it was, and a failed one stays failed', () => {
    const step = { records: 1, first: placeAt(5) };
    expect(textOf(again({ program: PROGRAM, at: '5', deaths: 2 }, 5))).toBe('normal');
    expect(textOf(again({ program: PROGRAM, at: '5', deaths: 3, until: 105 }, 15))).toBe('careful 2 of 90');
    expect(textOf(again({ program: PROGRAM, at: '5', deaths: 3, until: 105 }, 105))).toBe('normal');
    expect(textOf(again({ program: PROGRAM, at: '5', deaths: 7, until: 6, alone: 4, step }, 5))).toBe('failed');
  });
  test('a process that ends in order leaves a note only of a failed unit, which gives the record one more try', () => {
    const step = { records: 1, first: placeAt(5) };
    const failed: ProcessNote = { program: PROGRAM, at: '5', deaths: 5, until: 6, alone: 4, step };
    expect(atEnd({ program: PROGRAM, at: '5', deaths: 2 })).toBeUndefined();
    expect(atEnd({ ...failed, alone: 3 })).toBeUndefined();
    const left = atEnd(failed)!;
    const [note, beginning] = begin(left, { program: PROGRAM, at: '5', sum: 5, behind: 9n });
    expect(textOf(beginning)).toBe('careful 1 of 1');
    expect(textOf(begin(afterWait(beforeStep(note, '5', step)), { program: PROGRAM, at: '5', sum: 5, behind: 9n })[1])).toBe('failed');
  });
});

test('whatever the number of records and of deadly ones, each deadly record stops its own unit and no other, after a bounded number of processes', () => {
  const units = fc.array(fc.record({ records: fc.integer({ min: 0, max: 262_144 }), deadly: fc.option(fc.nat(), { nil: undefined }) }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(units, fc.infiniteStream(fc.nat()), (declared, chance) => {
      const state = declared.map(({ records, deadly }) => ({
        records,
        deadly: deadly === undefined || records === 0 ? undefined : deadly % records,
        at: 0,
        note: undefined as ProcessNote | undefined,
      }));
      const mortal = state.filter(({ deadly }) => deadly !== undefined).length;
      for (let processes = 1; ; processes++) {
        expect(processes).toBeLessThanOrEqual(4 + 6 * mortal);
        const begun = state.map((unit) => {
          const [note, beginning] = begin(unit.note, { program: PROGRAM, at: String(unit.at), sum: unit.at, behind: BigInt(unit.records - unit.at) });
          unit.note = note;
          return { unit, beginning };
        });
        const died = begun.some(({ unit, beginning }) => beginning.type === 'normal' && unit.deadly !== undefined);
        // Units that are not suspect commit what they have before their deadly record, or nothing.
        if (died) continue;
        const suspects = begun.filter(({ beginning }) => beginning.type === 'careful');
        let isDead = false;
        const left = new Map(suspects.map(({ unit, beginning }) => [unit, beginning.type === 'careful' ? beginning.records : 0]));
        while (left.size > 0 && !isDead) {
          const [unit] = [...left.keys()].slice(chance.next().value % left.size);
          const beginning = suspects.find((one) => one.unit === unit)!.beginning;
          const pace = beginning.type === 'careful' ? beginning.pace : 0;
          const records = Math.min(pace, left.get(unit!)!, unit!.records - unit!.at);
          if (records === 0) {
            left.delete(unit!);
            // Behind its steps it is as any other.
            if (unit!.deadly !== undefined) isDead = true;
            continue;
          }
          unit!.note = afterWait(beforeStep(unit!.note!, String(unit!.at), { records, first: placeAt(unit!.at) }));
          if (unit!.deadly !== undefined && unit!.deadly < unit!.at + records) isDead = true;
          else unit!.at += records;
          if (!isDead) left.set(unit!, left.get(unit!)! - records);
        }
        if (isDead) continue;
        for (const { unit, beginning } of begun) expect([unit.deadly, beginning.type === 'failed' ? unit.at : undefined]).toEqual([unit.deadly, unit.deadly]);
        return;
      }
    }),
    { numRuns: 200 },
  );
});
