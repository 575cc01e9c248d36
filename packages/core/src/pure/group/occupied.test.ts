import { expect, test } from 'vitest';
import { occupantText, occupiedError } from './occupied.ts';

const owner = { instance: 'i', pid: 4242, started: '1', since: Date.UTC(2026, 0, 2, 3, 4, 5), beatAt: Date.UTC(2026, 0, 2, 3, 5, 0) };

test('says which process, since when, and when it was last heard of', () => {
  expect(occupantText(owner, owner.beatAt + 1_234)).toBe('process 4242 has been in it since 2026-01-02T03:04:05.000Z, and gave its last beat 1.2 s ago');
});
test('leaves out what an older process did not note, and takes no clock that is set back for the future', () => {
  expect(occupantText({ pid: 7 }, 0)).toBe('process 7 has been in it');
  expect(occupantText(owner, 0)).toContain('0.0 s ago');
});
test('a refusal has the facts, and ends with what to do', () => {
  const error = occupiedError('orders', owner, 3, owner.beatAt);
  expect(error).toMatchObject({ code: 'STOPLOG_GROUP_ACTIVE', facts: { group: 'orders', pid: 4242, epoch: 3 } });
  expect(error.message).toMatch(/Nothing was changed; end process 4242, with Ctrl-C or 'kill 4242', and try again$/);
});
