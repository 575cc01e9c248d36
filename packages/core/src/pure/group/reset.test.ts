import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isStoplogError } from '../errors.ts';
import { parsePositions, planReset, positionsText, type ResetPlace, type ResetTarget } from './reset.ts';

const place = (stands: bigint | undefined, rest: Partial<ResetPlace> = {}): ResetPlace => ({
  topic: 'orders',
  partition: 0,
  stands,
  start: 10n,
  end: 100n,
  ...rest,
});
const to = (target: ResetTarget, at: ResetPlace): bigint => planReset(target, [at])[0]!.to;

describe('a reset', () => {
  test.each<[string, ResetTarget, bigint]>([
    ['to the earliest', { to: 'earliest' }, 10n],
    ['to the latest', { to: 'latest' }, 100n],
    ['to the current position', { to: 'current' }, 50n],
    ['to an offset', { to: 'offset', offset: 60n }, 60n],
    ['back by 5', { to: 'shift', by: -5n }, 45n],
    ['on by 5', { to: 'shift', by: 5n }, 55n],
    ['to a time after the last record', { to: 'time', time: 1 }, 100n],
  ])('a reset %s ends at that offset', (_, target, expected) => expect(to(target, place(50n))).toBe(expected));
  test('a reset to a time goes to the first record at or after the time', () => expect(to({ to: 'time', time: 1 }, place(50n, { atTime: 30n }))).toBe(30n));
  test('a reset of a group that never committed starts from the start', () => {
    expect(planReset({ to: 'shift', by: 3n }, [place(undefined)])).toEqual([
      { topic: 'orders', partition: 0, from: undefined, to: 13n, moves: 3n, clamped: undefined },
    ]);
  });
  test('a reset to an offset outside the log stops at the nearer end, and says which', () => {
    expect(planReset({ to: 'offset', offset: 500n }, [place(50n)])[0]).toMatchObject({ to: 100n, clamped: 'end' });
    expect(planReset({ to: 'shift', by: -500n }, [place(50n)])[0]).toMatchObject({ to: 10n, clamped: 'start' });
    expect(planReset({ to: 'current' }, [place(3n)])[0]).toMatchObject({ from: 3n, to: 10n, moves: 7n, clamped: 'start' });
  });
  test('a reset from a file moves the partitions that the file names, and nothing else', () => {
    const places = [place(50n), place(60n, { partition: 1 })];
    expect(planReset({ to: 'positions', positions: [{ topic: 'orders', partition: 1, offset: 70n }] }, places)).toEqual([
      { topic: 'orders', partition: 1, from: 60n, to: 70n, moves: 10n, clamped: undefined },
    ]);
  });
  test('a file that names an unknown partition, or a partition twice, is refused', () => {
    const line = { topic: 'orders', partition: 0, offset: 1n };
    expect(() => planReset({ to: 'positions', positions: [{ ...line, partition: 9 }] }, [place(1n)])).toThrow(
      /names orders\[9\], which this reset does not cover/,
    );
    expect(() => planReset({ to: 'positions', positions: [line, line] }, [place(1n)])).toThrow(/orders\[0\] twice/);
  });
  test("a reset always ends inside the log, starts at the group's position, and is the same when it is planned again", () => {
    const offset = fc.bigInt({ min: 0n, max: 1_000n });
    const someplace = fc.record({ stands: fc.option(offset, { nil: undefined }), a: offset, b: offset, atTime: offset });
    const places = fc
      .array(someplace, { maxLength: 5 })
      .map((list) =>
        list.map(({ stands, a, b, atTime }, partition): ResetPlace => ({ topic: 't', partition, stands, start: a < b ? a : b, end: a < b ? b : a, atTime })),
      );
    const target: fc.Arbitrary<ResetTarget> = fc.oneof(
      fc.constantFrom<ResetTarget>({ to: 'earliest' }, { to: 'latest' }, { to: 'current' }, { to: 'time', time: 0 }),
      offset.map((n): ResetTarget => ({ to: 'offset', offset: n })),
      fc.bigInt({ min: -2_000n, max: 2_000n }).map((by): ResetTarget => ({ to: 'shift', by })),
    );
    fc.assert(
      fc.property(target, places, (how, where) => {
        const lines = planReset(how, where);
        lines.forEach((line, i) => {
          expect(line.to >= where[i]!.start && line.to <= where[i]!.end).toBe(true);
          expect(line.from).toBe(where[i]!.stands);
        });
        expect(planReset(how, where)).toEqual(lines);
      }),
    );
  });
});

describe('positions as a file', () => {
  test('each position is a line', () => expect(positionsText([{ topic: 'orders', partition: 0, offset: 42n }])).toBe('orders,0,42\n'));
  test('positions decode to themselves from their text', () => {
    const position = fc.record({
      topic: fc.stringMatching(/^[a-zA-Z0-9._-]{1,40}$/),
      partition: fc.nat(9_999),
      offset: fc.bigInt({ min: 0n, max: 2n ** 60n }),
    });
    fc.assert(
      fc.property(fc.array(position), (positions) => {
        expect(parsePositions(positionsText(positions))).toEqual(positions);
      }),
    );
  });
  test('a file may have headings, spaces, quotes and Windows line ends', () => {
    expect(parsePositions('topic,partition,offset\r\n"orders", 0 , 42\r\n\r\n')).toEqual([{ topic: 'orders', partition: 0, offset: 42n }]);
  });
  test('any text is read as positions within their bounds, or is refused with its line', () => {
    const near = fc.string({
      unit: fc.constantFrom('orders', '"', ',', '0', '9'.repeat(9), '9'.repeat(19), ' ', '\t', '\r', '\n', '-', '\0', 'é'),
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: 'binary', maxLength: 200 })), (text) => {
        try {
          const positions = parsePositions(text);
          // Each position took a line of its own: none was made up.
          return (
            positions.length <= text.split('\n').length &&
            positions.every(
              ({ topic, partition, offset }) => /^[\w.-]{1,249}$/.test(topic) && partition >= 0 && partition < 1e9 && offset >= 0n && offset < 10n ** 19n,
            )
          );
        } catch (error) {
          return isStoplogError(error) && error.code === 'STOPLOG_USAGE' && typeof error.facts['line'] === 'number';
        }
      }),
      { numRuns: 500 },
    );
  });
  test.each(['orders,0', 'orders,x,1', 'orders,0,-1', 'orders,0,1,2', 'a b,0,1'])('%s is refused with its line', (line) => {
    expect(() => parsePositions(`ok,0,1\n${line}\n`)).toThrow(/^line 2 of the file is no position: write topic,partition,offset/);
  });
});
