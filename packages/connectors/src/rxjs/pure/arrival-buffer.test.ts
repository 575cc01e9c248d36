import { describe, expect, test } from 'vitest';
import { ArrivalBuffer, type Overflow } from './arrival-buffer.ts';

const filled = (overflow: Overflow, capacity: number, values: readonly string[]): { readonly buffer: ArrivalBuffer; readonly offered: readonly string[] } => {
  const buffer = new ArrivalBuffer(capacity, overflow);
  return { buffer, offered: values.map((value, i) => buffer.offer(value, i)) };
};
const valuesOf = (buffer: ArrivalBuffer): readonly unknown[] => buffer.take(Infinity).map(({ value }) => value);

describe('a buffer of arrivals', () => {
  test('a buffer returns the first arrivals first, and no more than the requested number', () => {
    const { buffer } = filled('fail', 4, ['a', 'b', 'c']);
    expect(buffer.take(2)).toEqual([
      { key: '0', value: 'a', timestamp: 0 },
      { key: '1', value: 'b', timestamp: 1 },
    ]);
    expect(buffer.size).toBe(1);
    expect(valuesOf(buffer)).toEqual(['c']);
    expect(buffer.take(2)).toEqual([]);
  });
  test('a buffer with drop-oldest keeps the newest arrivals, and one with drop-newest the oldest', () => {
    const oldest = filled('drop-oldest', 2, ['a', 'b', 'c']);
    expect(oldest.offered).toEqual(['kept', 'kept', 'dropped']);
    expect(valuesOf(oldest.buffer)).toEqual(['b', 'c']);
    const newest = filled('drop-newest', 2, ['a', 'b', 'c']);
    expect(newest.offered).toEqual(['kept', 'kept', 'dropped']);
    expect(valuesOf(newest.buffer)).toEqual(['a', 'b']);
  });
  test('a buffer with fail drops nothing: kept arrivals stay, and an arrival without room is refused', () => {
    const { buffer, offered } = filled('fail', 2, ['a', 'b', 'c']);
    expect(offered).toEqual(['kept', 'kept', 'overflowed']);
    expect(valuesOf(buffer)).toEqual(['a', 'b']);
  });
  test('a gap between two keys is as long as the number of dropped arrivals', () => {
    const { buffer } = filled('drop-newest', 1, ['a', 'b', 'c']);
    buffer.take(1);
    buffer.offer('d', 3);
    expect(buffer.take(1)).toEqual([{ key: '3', value: 'd', timestamp: 3 }]);
  });
  test('an undefined value is a value', () => {
    const buffer = new ArrivalBuffer(1, 'fail');
    buffer.offer(undefined, 7);
    expect(buffer.take(1)).toEqual([{ key: '0', value: undefined, timestamp: 7 }]);
  });
});
