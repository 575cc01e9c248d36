/**
 * The coordinator of a group: who its members are and what each holds, as a machine whose state lies in the log.
 *
 * A unit moves in two steps. First its holder is *asked*: it goes on until it has ended what it was doing, and may commit
 * until then. When it has *released* the unit, and not before, the unit is *given* to another, in a new epoch. So two
 * members never hold one place, and only what moves is disturbed. Who is expelled is not asked: what it held is free at once,
 * and its commits are refused, for no place is held in its epochs any more.
 *
 *          given                    asked                       released, or its holder is out
 *   free ─────────▶ held by A ─────────────▶ held by A, asked ─────────────▶ free ─────▶ held by B
 *
 * No process runs this: whoever changes something runs the step inside its transaction, and all others see the change.
 */
import { Change, type Step } from './change.ts';
import { holdingName, type GroupState, type Member } from './group-state.ts';
import type { Holding } from './place.ts';
import { wholeUnits } from './units.ts';

export type GroupEvent<M extends Member = Member> =
  | { readonly type: 'join'; readonly member: M }
  /** It ends by itself, and has ended what it did: a dynamic member is out, a static one away. */
  | { readonly type: 'leave'; readonly id: string }
  | { readonly type: 'beat'; readonly id: string }
  /** It works on nothing but what it keeps: whatever else it was asked for is free. */
  | { readonly type: 'release'; readonly id: string; readonly keeps: readonly Holding[] }
  /** A watcher saw this beat stand still for a session, or the process gone. */
  | { readonly type: 'expire'; readonly id: string; readonly beat: number; readonly why: 'silent' | 'gone' }
  /** A tool changes the group while nobody works in it: all are out, and whoever was thought dead is refused. */
  | { readonly type: 'clear' };

export const step = <M extends Member>(state: GroupState<M>, event: GroupEvent<M>): Step<M> => {
  const change = new Change(state);
  switch (event.type) {
    case 'join': {
      const { member } = event;
      if (change.find(member.id) !== undefined) break;
      const older = member.instanceId === undefined ? undefined : state.members.find(({ instanceId }) => instanceId === member.instanceId);
      // The older is fenced, not asked: what it had goes to who comes in its name, at once and in a new epoch.
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
      if (member !== undefined) change.replace({ ...member, beat: member.beat + 1 }, 'beaten');
      return change.result();
    }
    case 'release':
      change.release(event.id, new Set(event.keeps.map(holdingName)));
      break;
    case 'expire': {
      const member = change.find(event.id);
      // A static member that is gone is expected back until its session is over.
      if (member?.beat !== event.beat || (event.why === 'gone' && member.instanceId !== undefined)) break;
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
