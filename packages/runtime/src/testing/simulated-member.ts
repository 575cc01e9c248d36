/**
 * A process as a member of its group: joins, is told what it has, says what it has ended, beats, and watches the others.
 *
 * What a member does next is the production's own (`nextAction`), and so is the coordinator, whose state lies in the log. What it
 * decides on it does in a later step: in between the group may have changed, or the process stood still.
 */
import type { Holding } from '@stoplog/core/port';
import { beatMs, type GroupEffect, type GroupEvent, keepsWithout, nextAction, placeName, type Standing, standingOf } from '@stoplog/core/kit';
import { type MemoryGroupState, type MemoryMember, sessionStep, type Watching } from '@stoplog/core/testing';
import type { Unit } from '../pure/host/units.ts';
import type { Count } from './simulation-counters.ts';

const LOOK_MS = 1_000;
/** After it has left it comes back, as another one. */
const AWAY_MS = 2_000;

export interface MemberParts {
  readonly name: string;
  readonly units: readonly Unit[];
  /** Of a static member. */
  readonly instanceId: string | undefined;
  readonly sessionMs: number;
  /** The state of the group as it is in the log. */
  readonly group: () => MemoryGroupState;
  readonly now: () => number;
  readonly count: Count;
  readonly tell: (what: string) => void;
  /** Whether the process that a member was is known to be gone. */
  readonly isGone: (id: string) => boolean;
  /** Whether an actor of this process still works on it. */
  readonly isAtWork: (place: Holding) => boolean;
  /** What this one has from now on. */
  readonly assigned: (partitions: readonly Holding[]) => void;
  /** Does it to the group. */
  readonly change: (event: GroupEvent<MemoryMember>) => readonly GroupEffect[];
}

export class SimulatedMember {
  /** Another one for each time it joins. */
  id = '';
  readonly #parts: MemberParts;
  #joined = 0;
  #told: readonly Holding[] | undefined;
  /** Decided on, and not done. */
  #saying: GroupEvent<MemoryMember>[] = [];
  #watching: Watching | undefined;
  #looked:
    | { readonly group: MemoryGroupState; readonly told: readonly Holding[] | undefined; readonly id: string; readonly action: ReturnType<typeof nextAction> }
    | undefined;
  #nextLook = 0;
  #nextBeat = 0;

  constructor(parts: MemberParts) {
    this.#parts = parts;
  }

  get isIn(): boolean {
    return this.id !== '' && this.#parts.group().members.some(({ id }) => id === this.id);
  }
  /** Was told what it has, and nothing about it changes. */
  get isSettled(): boolean {
    return this.#saying.length === 0 && this.isIn && this.#action.type === 'wait';
  }
  /** When something is due that time alone brings. */
  get wakes(): number {
    return this.isIn ? Math.min(this.#nextBeat, this.#nextLook) : this.#nextLook;
  }

  /** What it could do now; with `hasEnded` nothing goes on here that is not in its assignment. */
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
  /** Everything here has ended: out, or away. */
  leave(): void {
    const { instanceId, now, count } = this.#parts;
    if (this.isIn) count(instanceId === undefined ? 'member that left' : 'static member that went away');
    this.#change({ type: 'leave', id: this.id });
    this.forget();
    this.#nextLook = now() + AWAY_MS;
  }
  /** With the memory of its process. */
  forget(): void {
    this.id = '';
    this.#told = this.#watching = undefined;
    this.#saying = [];
    this.#nextLook = this.#parts.now();
  }

  /** Asked for at every step, and the same until the group changes or something is told. */
  get #action(): ReturnType<typeof nextAction> {
    const group = this.#parts.group();
    if (this.#looked?.group !== group || this.#looked.told !== this.#told || this.#looked.id !== this.id)
      this.#looked = { group, told: this.#told, id: this.id, action: this.#nextAction() };
    return this.#looked.action;
  }
  #nextAction(): ReturnType<typeof nextAction> {
    const { instanceId } = this.#parts;
    const group = this.#parts.group();
    const found = standingOf(group, this.id);
    const replaced = this.id !== '' && instanceId !== undefined && group.members.some((member) => member.instanceId === instanceId);
    const standing: Standing = found === undefined ? { isIn: false, replaced } : { isIn: true, ...found };
    return nextAction(this.#told, standing);
  }
  /** What it was asked for and has ended, while others that it was asked for go on. */
  get #early(): readonly Holding[] {
    if (this.#told === undefined) return [];
    const told = new Set(this.#told.map(placeName));
    const { group, isAtWork } = this.#parts;
    return (standingOf(group(), this.id)?.asked ?? []).filter((place) => !told.has(placeName(place)) && !isAtWork(place));
  }
  #releaseEarly(): void {
    const { group, count } = this.#parts;
    count('partition handed over before another that was to move with it');
    this.#saying.push({ type: 'release', id: this.id, keeps: keepsWithout(standingOf(group(), this.id)!, this.#early) });
  }
  #act(): void {
    const { name, instanceId, sessionMs, units, count, tell, assigned } = this.#parts;
    const action = this.#action;
    switch (action.type) {
      case 'join': {
        const id = `${name}#${++this.#joined}`;
        this.#saying.push({ type: 'join', member: { id, instanceId, sessionMs, units: units.map(({ places }) => places), beat: 0, away: false, pid: 0 } });
        return;
      }
      case 'release':
        if (this.#told === undefined || action.keeps === this.#told) count('assignment that was over before it was seen');
        this.#saying.push({ type: 'release', id: this.id, keeps: action.keeps });
        return;
      case 'tell':
        if (!this.isIn) count('member that was expelled, and learned of it');
        tell(`${name} is assigned ${action.partitions.length} partitions`);
        this.#told = action.partitions;
        return assigned(action.partitions);
      case 'give up':
      case 'wait':
        throw new Error(`invariant broken: member ${name} was to do something`);
    }
  }
  #say(event: GroupEvent<MemoryMember>): void {
    this.#saying.shift();
    const { instanceId, group, now, tell, count, name } = this.#parts;
    if (event.type === 'join') {
      const before = group().members.some((member) => instanceId !== undefined && member.instanceId === instanceId);
      if (instanceId !== undefined && this.#joined > 1) count(before ? 'static member that came back in time' : 'static member that came back too late');
      this.id = event.member.id;
      this.#told = this.#watching = undefined;
      [this.#nextBeat, this.#nextLook] = [now(), now()];
    }
    const effects = this.#change(event);
    if (event.type === 'expire' && effects.length === 0) count('expiry that came too late');
    tell(`${name}: ${event.type}${effects.map((effect) => `, ${textOf(effect)}`).join('')}`);
  }
  #beat(): void {
    const { now, sessionMs } = this.#parts;
    this.#nextBeat = now() + beatMs(sessionMs);
    this.#change({ type: 'beat', id: this.id });
  }
  #look(): void {
    const { group, now, isGone } = this.#parts;
    const found = group()
      .members.filter(({ id }) => id !== this.id)
      .map(({ id, beat, sessionMs, instanceId }) => ({ id, beat, sessionMs, isStatic: instanceId !== undefined, alive: !isGone(id) }));
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
