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
import { assign } from './assign.ts';
import { comparePlaces, placeName, unitName, type Holding, type Unit } from './place.ts';

export interface Member {
  /** Unique for each join. */
  readonly id: string;
  /** Who comes back under this name within the session gets back what it had. Without one the member is *dynamic*. */
  readonly instanceId?: string | undefined;
  readonly units: readonly Unit[];
  /** Grows while it lives (session.ts). */
  readonly beat: number;
  /** A static member that has ended and may come back: it works on nothing. */
  readonly away: boolean;
}
export interface Held extends Holding {
  readonly member: string;
  /** It was asked to hand this over. */
  readonly asked: boolean;
}
export interface GroupState<M extends Member = Member> {
  /** Grows with each giving, and never shrinks. */
  readonly epoch: number;
  /** As they came. */
  readonly members: readonly M[];
  /** By the names of the places. */
  readonly held: ReadonlyMap<string, Held>;
}
export const EMPTY_GROUP: GroupState<never> = { epoch: 0, members: [], held: new Map() };

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

/** What has changed, for whoever keeps the state in pieces. */
export type GroupEffect<M extends Member = Member> =
  | { readonly type: 'joined'; readonly member: M }
  | { readonly type: 'left'; readonly member: M; readonly why: 'left' | 'replaced' | 'silent' | 'gone' | 'cleared' }
  | { readonly type: 'away'; readonly member: M }
  | { readonly type: 'beaten'; readonly member: M }
  | { readonly type: 'given' | 'asked' | 'freed'; readonly held: Held };

type Step<M extends Member> = readonly [GroupState<M>, readonly GroupEffect<M>[]];

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

/** What a member works on, and what it was asked to end; undefined when it is not in the group. */
export const standingOf = (state: GroupState, id: string): { readonly holds: readonly Holding[]; readonly asked: readonly Holding[] } | undefined => {
  if (!state.members.some((member) => member.id === id)) return undefined;
  const mine = [...state.held.values()].filter(({ member }) => member === id).sort(comparePlaces);
  const plain = (asked: boolean): readonly Holding[] =>
    mine.filter((held) => held.asked === asked).map(({ topic, partition, epoch }) => ({ topic, partition, epoch }));
  return { holds: plain(false), asked: plain(true) };
};

export const holdingName = (holding: Holding): string => `${placeName(holding)} ${holding.epoch}`;

/**
 * The units there are: those of the member that came last, then whatever of the others shares no place with them. Two
 * versions of a pipeline that cut their tasks differently may so be in one group while one takes the other's place.
 */
export const unitsOf = (members: readonly Member[]): readonly Unit[] => {
  const units = new Map<string, Unit>();
  const taken = new Set<string>();
  for (const member of members.toReversed()) {
    const fresh = member.units.filter((unit) => !units.has(unitName(unit)) && unit.length > 0 && !unit.some((place) => taken.has(placeName(place))));
    for (const unit of fresh) {
      units.set(unitName(unit), unit);
      for (const place of unit) taken.add(placeName(place));
    }
  }
  return [...units.values()].sort(compareUnits);
};
const compareUnits = (a: Unit, b: Unit): number => {
  const [x, y] = [[...a].sort(comparePlaces), [...b].sort(comparePlaces)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const order = comparePlaces(x[i]!, y[i]!);
    if (order !== 0) return order;
  }
  return x.length - y.length;
};

/** The units that somebody has whole and was not asked for, with who has them. They were given in one epoch: who knows a unit gets it as a whole. */
const wholeUnits = (state: GroupState, units: readonly Unit[] = unitsOf(state.members)): readonly (readonly [name: string, member: string])[] =>
  units.flatMap((unit) => {
    const [first, ...rest] = unit.map((place) => state.held.get(placeName(place)));
    const whole = first !== undefined && !first.asked && rest.every((held) => held?.member === first.member && !held.asked);
    return whole ? [[unitName(unit), first.member] as const] : [];
  });

/** A state on its way to the next. */
class Change<M extends Member> {
  readonly #before: GroupState<M>;
  readonly #effects: GroupEffect<M>[] = [];
  readonly #held: Map<string, Held>;
  #members: readonly M[];
  #epoch: number;

  constructor(state: GroupState<M>) {
    this.#before = state;
    this.#members = state.members;
    this.#held = new Map(state.held);
    this.#epoch = state.epoch;
  }

  find(id: string): M | undefined {
    return this.#members.find((member) => member.id === id);
  }
  enter(member: M): void {
    this.#members = [...this.#members, member];
    this.#effects.push({ type: 'joined', member });
  }
  replace(member: M, type: 'away' | 'beaten'): void {
    this.#members = this.#members.map((one) => (one.id === member.id ? member : one));
    this.#effects.push({ type, member });
  }
  out(member: M | undefined, why: (GroupEffect<M> & { readonly type: 'left' })['why']): void {
    if (member === undefined) return;
    this.#members = this.#members.filter(({ id }) => id !== member.id);
    this.#effects.push({ type: 'left', member, why });
    for (const held of this.#of(member.id)) this.#free(held);
  }
  release(id: string, keeps: ReadonlySet<string>): void {
    for (const held of this.#of(id)) if (held.asked && !keeps.has(holdingName(held))) this.#free(held);
  }
  raise(): void {
    this.#epoch++;
  }

  /** Asks for what should be elsewhere, and gives what is free; `preferred` is who has a unit that nobody holds right now. */
  settled(preferred: ReadonlyMap<string, string>): Step<M> {
    if (this.#effects.length === 0 && this.#epoch === this.#before.epoch) return [this.#before, []];
    const units = unitsOf(this.#members);
    const workers = this.#members.map(({ id, units: known }) => ({ id, knows: new Set(known.map(unitName)) }));
    const whole = new Map(wholeUnits(this.#state(), units));
    const target = assign(units, workers, new Map([...preferred, ...whole]));
    const atWork = new Set(this.#members.flatMap(({ id, away }) => (away ? [] : [id])));
    const stay = new Set(
      units.flatMap((unit) => (whole.has(unitName(unit)) && whole.get(unitName(unit)) === target.get(unitName(unit)) ? unit.map(placeName) : [])),
    );
    for (const [name, held] of [...this.#held]) {
      if (stay.has(name)) continue;
      // Who is away works on nothing, and has nothing to end.
      if (!atWork.has(held.member)) this.#free(held);
      else if (!held.asked) this.#put({ ...held, asked: true }, 'asked');
    }
    const epoch = this.#epoch + 1;
    for (const unit of units) {
      const member = target.get(unitName(unit));
      if (member === undefined || unit.some((place) => this.#held.has(placeName(place)))) continue;
      for (const { topic, partition } of unit) this.#put({ topic, partition, epoch, member, asked: false }, 'given');
      this.#epoch = epoch;
    }
    return this.result();
  }
  result(): Step<M> {
    return [this.#effects.length === 0 && this.#epoch === this.#before.epoch ? this.#before : this.#state(), this.#effects];
  }

  #state(): GroupState<M> {
    return { epoch: this.#epoch, members: this.#members, held: this.#held };
  }
  #of(id: string): readonly Held[] {
    return [...this.#held.values()].filter(({ member }) => member === id);
  }
  #put(held: Held, type: 'given' | 'asked'): void {
    this.#held.set(placeName(held), held);
    this.#effects.push({ type, held });
  }
  #free(held: Held): void {
    this.#held.delete(placeName(held));
    this.#effects.push({ type: 'freed', held });
  }
}
