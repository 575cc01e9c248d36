/**
 * The coordinator of a consumer group: its members and their assignments, as a state machine whose state is stored in the
 * log.
 *
 * A unit moves in two steps. First the coordinator *revokes* it (`asked`): the holder finishes its open work, and may commit
 * until it has. When the holder has *released* the unit, and not before, the unit is *assigned* to another member, in a new
 * epoch. So two members never hold one partition, and only the units that move are disturbed. A member that is removed is not
 * asked: its units are free at once, and its commits are refused, since no partition is held in its epochs any more.
 *
 *          assigned                 revoking                    released, or its holder is removed
 *   free ─────────▶ held by A ─────────────▶ held by A, asked ─────────────▶ free ─────▶ held by B
 *
 * No process runs the coordinator: each process runs the step inside its own transaction, and all others see the change.
 */
import { Change, type Step } from './change.ts';
import { assignedName, type GroupState, type Member } from './group-state.ts';
import type { AssignedPartition } from './group-partition.ts';
import { wholeUnits } from './units.ts';

export type GroupEvent<M extends Member = Member> =
  | { readonly type: 'join'; readonly member: M }
  /** The member ends by itself, with its work finished: a dynamic member leaves, a static one is pending rejoin. */
  | { readonly type: 'leave'; readonly id: string }
  | { readonly type: 'beat'; readonly id: string }
  /** The member works only on `keeps`: all other units that it was asked for are free. */
  | { readonly type: 'release'; readonly id: string; readonly keeps: readonly AssignedPartition[] }
  /** A watcher saw this heartbeat counter stand still for a session, or the process gone. */
  | { readonly type: 'expire'; readonly id: string; readonly beat: number; readonly why: 'silent' | 'gone' }
  /**
   * A tool changes the group while no member works in it: all members are removed, and a member that was thought dead is
   * fenced.
   */
  | { readonly type: 'clear' };

export const step = <M extends Member>(state: GroupState<M>, event: GroupEvent<M>): Step<M> => {
  const change = new Change(state);
  switch (event.type) {
    case 'join': {
      const { member } = event;
      if (change.find(member.id) !== undefined) break;
      const older = member.instanceId === undefined ? undefined : state.members.find(({ instanceId }) => instanceId === member.instanceId);
      // The older incarnation is fenced, not asked: its units go to the new one, at once and in a new epoch.
      const had = older === undefined ? [] : wholeUnits(state).filter(([, id]) => id === older.id);
      if (older !== undefined) change.out(older, 'replaced');
      change.enter(member);
      return change.settled(new Map(had.map(([name]) => [name, member.id])));
    }
    case 'leave': {
      const member = change.find(event.id);
      if (member?.instanceId === undefined) change.out(member, 'left');
      else if (!member.away) change.replace({ ...member, away: true }, 'away');
      break;
    }
    case 'beat': {
      const member = change.find(event.id);
      if (member !== undefined) change.replace({ ...member, heartbeats: member.heartbeats + 1 }, 'beaten');
      return change.result();
    }
    case 'release':
      change.release(event.id, new Set(event.keeps.map(assignedName)));
      break;
    case 'expire': {
      const member = change.find(event.id);
      // A static member that is gone is expected to rejoin until its session ends.
      if (member?.heartbeats !== event.beat || (event.why === 'gone' && member.instanceId !== undefined)) break;
      change.out(member, event.why);
      break;
    }
    case 'clear':
      for (const member of state.members) change.out(member, 'cleared');
      change.raise();
      break;
  }
  return change.settled(new Map());
};
