/**
 * A process as a member of its group: joins, receives its assignment, releases revoked partitions, sends heartbeats, and watches the
 * other members.
 *
 * The next action of a member is decided by the code of production (`nextAction`), and so is the assignment by the coordinator, whose
 * state is stored in the log. The action is performed in a later step: in between the group may change, or the process may stand still.
 */
import type { AssignedPartition } from '@stoplog/core/port';
import { heartbeatMs, type GroupEffect, type GroupEvent, keepsWithout, nextAction, partitionName, type MemberStatus, assignmentsOf } from '@stoplog/core/kit';
import { type MemoryGroupState, type MemoryMember, sessionStep, type Watching } from '@stoplog/core/testing';
import type { Unit } from '../pure/host/units.ts';
import type { Count } from './simulation-counters.ts';

const LOOK_MS = 1_000;
/** The time after which a member that left joins again, as a new member. */
const AWAY_MS = 2_000;

export interface MemberParts {
  readonly name: string;
  readonly units: readonly Unit[];
  /** The instance id of a static member. */
  readonly instanceId: string | undefined;
  readonly sessionMs: number;
  /** The state of the group in the log. */
  readonly group: () => MemoryGroupState;
  readonly now: () => number;
  readonly count: Count;
  readonly report: (what: string) => void;
  /** Whether the process of a member is known to have ended. */
  readonly isGone: (id: string) => boolean;
  /** Whether an actor of this process still works on a partition. */
  readonly isAtWork: (place: AssignedPartition) => boolean;
  /** Receives the new assignment of this member. */
  readonly assigned: (partitions: readonly AssignedPartition[]) => void;
  /** Applies an event to the group. */
  readonly change: (event: GroupEvent<MemoryMember>) => readonly GroupEffect[];
}

export class SimulatedMember {
  /** The member id, which is new for each join. */
  id = '';
  readonly #parts: MemberParts;
  #joined = 0;
  #reported: readonly AssignedPartition[] | undefined;
  /** Events that are decided and not yet applied. */
  #saying: GroupEvent<MemoryMember>[] = [];
  #watching: Watching | undefined;
  #looked:
    | {
        readonly group: MemoryGroupState;
        readonly reported: readonly AssignedPartition[] | undefined;
        readonly id: string;
        readonly action: ReturnType<typeof nextAction>;
      }
    | undefined;
  #nextLook = 0;
  #nextBeat = 0;

  constructor(parts: MemberParts) {
    this.#parts = parts;
  }

  get isIn(): boolean {
    return this.id !== '' && this.#parts.group().members.some(({ id }) => id === this.id);
  }
  /** Whether the member knows its assignment, and the assignment is not changing. */
  get isSettled(): boolean {
    return this.#saying.length === 0 && this.isIn && this.#action.type === 'wait';
  }
  /** The next time at which an action is due. */
  get wakes(): number {
    return this.isIn ? Math.min(this.#nextBeat, this.#nextLook) : this.#nextLook;
  }

  /** The possible steps; with `hasEnded` no actor runs that is not in the assignment. */
  moves(hasEnded: boolean, notices: boolean): (() => void)[] {
    const { now } = this.#parts;
    const [saying] = this.#saying;
    if (saying !== undefined) return [() => this.#say(saying)];
    if (!this.isIn) return hasEnded && notices && now() >= this.#nextLook ? [() => this.#act()] : [];
    const moves: (() => void)[] = [];
    if (hasEnded && notices && this.#action.type !== 'wait') moves.push(() => this.#act());
    if (!hasEnded && this.#early.length > 0) moves.push(() => this.#releaseEarly());
    if (now() >= this.#nextBeat) moves.push(() => this.#beat());
    if (now() >= this.#nextLook) moves.push(() => this.#look());
    return moves;
  }
  /** Leaves the group after all actors have ended: removed, or pending rejoin. */
  leave(): void {
    const { instanceId, now, count } = this.#parts;
    if (this.isIn) count(instanceId === undefined ? 'member that left' : 'static member that went away');
    this.#change({ type: 'leave', id: this.id });
    this.forget();
    this.#nextLook = now() + AWAY_MS;
  }
  /** Forgets everything, as the death of the process does. */
  forget(): void {
    this.id = '';
    this.#reported = this.#watching = undefined;
    this.#saying = [];
    this.#nextLook = this.#parts.now();
  }

  /** The next action, cached until the group or the assignment changes. */
  get #action(): ReturnType<typeof nextAction> {
    const group = this.#parts.group();
    if (this.#looked?.group !== group || this.#looked.reported !== this.#reported || this.#looked.id !== this.id)
      this.#looked = { group, reported: this.#reported, id: this.id, action: this.#nextAction() };
    return this.#looked.action;
  }
  #nextAction(): ReturnType<typeof nextAction> {
    const { instanceId } = this.#parts;
    const group = this.#parts.group();
    const found = assignmentsOf(group, this.id);
    const replaced = this.id !== '' && instanceId !== undefined && group.members.some((member) => member.instanceId === instanceId);
    const description: MemberStatus = found === undefined ? { isIn: false, replaced } : { isIn: true, ...found };
    return nextAction(this.#reported, description);
  }
  /** Revoked partitions that are drained, while other revoked partitions are not. */
  get #early(): readonly AssignedPartition[] {
    if (this.#reported === undefined) return [];
    const reported = new Set(this.#reported.map(partitionName));
    const { group, isAtWork } = this.#parts;
    return (assignmentsOf(group(), this.id)?.asked ?? []).filter((place) => !reported.has(partitionName(place)) && !isAtWork(place));
  }
  #releaseEarly(): void {
    const { group, count } = this.#parts;
    count('partition handed over before another that was to move with it');
    this.#saying.push({ type: 'release', id: this.id, keeps: keepsWithout(assignmentsOf(group(), this.id)!, this.#early) });
  }
  #act(): void {
    const { name, instanceId, sessionMs, units, count, report, assigned } = this.#parts;
    const action = this.#action;
    switch (action.type) {
      case 'join': {
        const id = `${name}#${++this.#joined}`;
        this.#saying.push({
          type: 'join',
          member: { id, instanceId, sessionMs, units: units.map(({ places }) => places), heartbeats: 0, away: false, pid: 0 },
        });
        return;
      }
      case 'release':
        if (this.#reported === undefined || action.keeps === this.#reported) count('assignment that was over before it was seen');
        this.#saying.push({ type: 'release', id: this.id, keeps: action.keeps });
        return;
      case 'report':
        if (!this.isIn) count('member that was expelled, and learned of it');
        report(`${name} is assigned ${action.partitions.length} partitions`);
        this.#reported = action.partitions;
        return assigned(action.partitions);
      case 'replaced':
      case 'wait':
        throw new Error(`invariant broken: member ${name} was to do something`);
    }
  }
  #say(event: GroupEvent<MemoryMember>): void {
    this.#saying.shift();
    const { instanceId, group, now, report, count, name } = this.#parts;
    if (event.type === 'join') {
      const before = group().members.some((member) => instanceId !== undefined && member.instanceId === instanceId);
      if (instanceId !== undefined && this.#joined > 1) count(before ? 'static member that came back in time' : 'static member that came back too late');
      this.id = event.member.id;
      this.#reported = this.#watching = undefined;
      [this.#nextBeat, this.#nextLook] = [now(), now()];
    }
    const effects = this.#change(event);
    if (event.type === 'expire' && effects.length === 0) count('expiry that came too late');
    report(`${name}: ${event.type}${effects.map((effect) => `, ${textOf(effect)}`).join('')}`);
  }
  #beat(): void {
    const { now, sessionMs } = this.#parts;
    this.#nextBeat = now() + heartbeatMs(sessionMs);
    this.#change({ type: 'beat', id: this.id });
  }
  #look(): void {
    const { group, now, isGone } = this.#parts;
    const found = group()
      .members.filter(({ id }) => id !== this.id)
      .map(({ id, heartbeats: beat, sessionMs, instanceId }) => ({ id, beat, sessionMs, isStatic: instanceId !== undefined, alive: !isGone(id) }));
    const [watching, effects] = sessionStep(this.#watching, { type: 'looked', found, at: now() });
    this.#watching = watching;
    this.#nextLook = now() + LOOK_MS;
    this.#saying.push(...effects);
  }
  #change(event: GroupEvent<MemoryMember>): readonly GroupEffect[] {
    return this.#parts.change(event);
  }
}

const textOf = (effect: GroupEffect): string =>
  'held' in effect
    ? `${effect.type} ${effect.held.topic}[${effect.held.partition}] of ${effect.held.member} in ${effect.held.epoch}`
    : `${effect.type} ${effect.member.id}`;
