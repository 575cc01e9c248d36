import { describe, expect, test } from 'vitest';
import { timeOf } from './time-text.ts';

describe('a time', () => {
  test.each([
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2026-01-02T03:04Z', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02 03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
    ['-000001-01-02T03:04:05Z', '-000001-01-02T03:04:05.000Z'],
  ])('%s is %s', (text, time) => expect(new Date(timeOf(text)!).toISOString()).toBe(time));
  test('a time without a zone is local', () => expect(timeOf('2026-01-02T03:04')).toBe(new Date(2026, 0, 2, 3, 4).getTime()));
  test.each([
    '2026-02-30',
    '2027-02-29',
    '2026-04-31T10:00Z',
    '2026-13-01',
    '2026-00-01',
    '2026-01-02T25:00',
    '2026-01-02 10',
    '2026-01-02 (noon)',
    '2026',
    '',
  ])("'%s' is no time", (text) => expect(timeOf(text)).toBeUndefined());
});
