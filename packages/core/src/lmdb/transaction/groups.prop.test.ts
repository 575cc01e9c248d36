/** A group is stored in several rows, and each step writes only the changed ones: the group that is read back must be the result of the step. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { step, type GroupEvent } from '../../pure/group/coordinator.ts';
import { EMPTY_GROUP, assignmentsOf, type GroupState } from '../../pure/group/group-state.ts';
import type { Unit } from '../../pure/group/group-partition.ts';
import { numbered, type KeptMember } from '../layout/group-record.ts';
import { openEnv } from '../tables/env.ts';
import { applyBeat, applyGroupEvent, isPresent, readGroup, readHeldEpoch, removeGroup } from './groups.ts';
import { processStarted } from '../folder/process.ts';

const path = mkdtempSync(join(tmpdir(), 'stoplog-groups-'));
const env = openEnv({ path, mapSize: 2 ** 26 }, false);
afterAll(async () => {
  await env.root.close();
  rmSync(path, { recursive: true });
});

const UNITS: readonly Unit[] = [...[0, 1, 2].map((partition): Unit => [numbered(1, partition), numbered(2, partition)]), [numbered(9, 0)]];
const member = (number: number, instanceId: string | undefined): KeptMember => ({
  number,
  id: `m${number}`,
  ...(instanceId === undefined ? {} : { instanceId }),
  units: number % 3 === 0 ? UNITS.slice(1) : UNITS,
  pid: 1,
  started: '1',
  since: number,
  sessionMs: 10_000,
  away: false,
  heartbeats: 0,
  beatAt: number,
});
const move = fc.tuple(fc.constantFrom('join', 'join static', 'leave', 'release', 'expire', 'beat', 'clear'), fc.nat(100));

/** An event of a present member, caused by it or by another; undefined when a new member is to join. */
const eventOf = (kind: string, one: KeptMember | undefined, state: GroupState<KeptMember>): GroupEvent<KeptMember> | undefined => {
  if (one === undefined) return undefined;
  if (kind === 'clear') return { type: 'clear' };
  if (kind === 'leave') return { type: 'leave', id: one.id };
  if (kind === 'release') return { type: 'release', id: one.id, keeps: assignmentsOf(state, one.id)!.holds };
  if (kind === 'expire') return { type: 'expire', id: one.id, beat: one.heartbeats, why: 'silent' };
  return undefined;
};

let groups = 0;
test('after any events of a group, the stored group is the one that the coordinator made', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
      const groupId = ++groups;
      let state: GroupState<KeptMember> = EMPTY_GROUP;
      let number = 0;
      env.root.transactionSync(() => {
        for (const [kind, which] of moves) {
          const one = state.members[which % Math.max(1, state.members.length)];
          if (kind === 'beat') {
            if (one === undefined) continue;
            expect(applyBeat(env, groupId, one.id, one.beatAt)).toBe(true);
            [state] = step(state, { type: 'beat', id: one.id });
          } else {
            const event = eventOf(kind, one, state) ?? { type: 'join', member: member(++number, kind === 'join static' ? `s${which % 2}` : undefined) };
            const [after] = step(state, event);
            expect(applyGroupEvent(env, groupId, event)).toBe(after !== state);
            state = after;
          }
          expect(readGroup(env, groupId).state).toEqual(state);
        }
        for (const { topic, partition, epoch } of state.held.values()) expect(readHeldEpoch(env, groupId, Number(topic), partition)).toBe(epoch);
        if (moves.length === 0) return;
        removeGroup(env, groupId);
        expect(() => readGroup(env, groupId)).toThrow(expect.objectContaining({ code: 'STOPLOG_GROUP_UNKNOWN' }));
      });
    }),
    { numRuns: 100 },
  );
});

test('a member is present while its process lives, and a static member until its session is over', () => {
  const dead = { ...member(1, undefined), pid: process.pid, started: 'another' };
  const alive = { ...dead, started: processStarted(process.pid) };
  const still = { ...dead, instanceId: 'a', beatAt: 50_000 };
  expect([dead, alive, { ...alive, away: true }].map((one) => isPresent(env, one, 50_000))).toEqual([false, true, false]);
  expect([59_999, 60_000, 40_001, 40_000].map((now) => isPresent(env, still, now))).toEqual([true, false, true, false]);
});
