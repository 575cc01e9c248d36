import { expect, test } from 'vitest';
import { occupantText, occupiedError } from './occupied.ts';

const member = { pid: 4242, sessionMs: 10_000, since: Date.UTC(2026, 0, 2, 3, 4, 5), beatAt: Date.UTC(2026, 0, 2, 3, 5, 0) };

test("an occupant's text names the process, the time it joined, and the time of its last heartbeat", () => {
  expect(occupantText(member, member.beatAt + 1_234)).toBe('process 4242 has been in it since 2026-01-02T03:04:05.000Z, and sent its last heartbeat 1.2 s ago');
});
test('a clock that is set back gives no negative time', () => expect(occupantText(member, 0)).toContain('0.0 s ago'));
test('the refusal has the facts, names every member, and ends with what to do', () => {
  const error = occupiedError('orders', [member, { ...member, pid: 7 }], 3, member.beatAt);
  expect(error).toMatchObject({ code: 'STOPLOG_GROUP_ACTIVE', facts: { group: 'orders', pid: 4242, pids: [4242, 7], epoch: 3 } });
  expect(error.message).toMatch(/Nothing was changed; end process 4242 and 7, with Ctrl-C or 'kill 4242 7' and try again$/);
});
test('the text of a static member says that the group waits for it, since its process may have ended long ago', () => {
  const error = occupiedError('orders', [{ ...member, instanceId: 'a' }], 3, member.beatAt);
  expect(error.message).toContain("process 4242 ('a', expected back for 10 s when it ends) has been in it");
  expect(error.message).toMatch(/wait until the sessions of members that are expected back are over, and try again$/);
});
