import { describe, expect, test } from 'vitest';
import { backoffMs, judge, type Verdict } from './answer.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const again = (retryAfter: string | null, attempt: number = 0): Verdict => judge({ status: 503, retryAfter }, 'if-match', 'PUT', attempt, NOW);

describe('the answer to a request', () => {
  test('Retry-After is read as seconds and as a date, and at most ten minutes are waited for', () => {
    expect(again('3')).toEqual({ type: 'again', afterMs: 3_000, isAsked: true });
    expect(again('Thu, 01 Jan 2026 00:00:07 GMT')).toEqual({ type: 'again', afterMs: 7_000, isAsked: true });
    expect(again('Wed, 31 Dec 2025 00:00:00 GMT')).toEqual({ type: 'again', afterMs: 0, isAsked: true });
    expect(again('86400')).toEqual({ type: 'again', afterMs: 600_000, isAsked: true });
  });
  test('without Retry-After, or with one that is no time, each wait is twice the last one, up to two seconds', () => {
    expect([again(null), again('soon', 1)]).toEqual([
      { type: 'again', afterMs: 50, isAsked: false },
      { type: 'again', afterMs: 100, isAsked: false },
    ]);
    expect([2, 5, 6, 1_000].map(backoffMs)).toEqual([200, 1_600, 2_000, 2_000]);
  });
  test.each([
    [200, 'if-match', 'PUT', 'written'],
    [404, 'if-match', 'DELETE', 'written'],
    [410, 'idempotency-key', 'DELETE', 'written'],
    [404, 'if-match', 'PUT', 'refused'],
    [409, 'if-match', 'PUT', 'compare'],
    [412, 'if-match', 'DELETE', 'compare'],
    [409, 'idempotency-key', 'POST', 'again'],
    [412, 'idempotency-key', 'POST', 'refused'],
    [429, 'if-match', 'PUT', 'again'],
    [302, 'if-match', 'PUT', 'refused'],
  ] as const)('%i with %s to %s means: %s', (status, versioning, method, type) => {
    expect(judge({ status, retryAfter: null }, versioning, method, 0, NOW)).toMatchObject({ type });
  });
});
