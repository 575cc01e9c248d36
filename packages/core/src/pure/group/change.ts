/**
 * Builds the next state of a group: members join and leave, then one rebalance revokes and assigns units.
 *
 * Each change is also an effect, so that a log that stores the state in several rows rewrites only the changed ones.
 */
import { assign } from './assign.ts';
import { assignedName, type GroupState, type Held, type Member } from './group-state.ts';
import { partitionName, unitName } from './group-partition.ts';
import { unitsOf, wholeUnits } from './units.ts';

/** A change of one member, one assignment or the epoch: one row of the stored state. */
export type GroupEffect<M extends Member = Member> =
  | { readonly type: 'joined'; readonly member: M }
  | { readonly type: 'left'; readonly member: M; readonly why: 'left' | 'replaced' | 'silent' | 'gone' | 'cleared' }
  | { readonly type: 'away'; readonly member: M }
  | { readonly type: 'beaten'; readonly member: M }
  | { readonly type: 'given' | 'asked' | 'freed'; readonly held: Held };

export type Step<M extends Member> = readonly [GroupState<M>, readonly GroupEffect<M>[]];

export class Change<M extends Member> {
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
    for (const held of this.#of(id)) if (held.revoking && !keeps.has(assignedName(held))) this.#free(held);
  }
  raise(): void {
    this.#epoch++;
  }

  /**
   * Revokes units from members that have too many, and assigns the free ones. `preferred` maps a unit that is free now to its
   * former member.
   */
  settled(preferred: ReadonlyMap<string, string>): Step<M> {
    if (this.#effects.length === 0 && this.#epoch === this.#before.epoch) return [this.#before, []];
    const units = unitsOf(this.#members);
    const workers = this.#members.map(({ id, units: known }) => ({ id, knows: new Set(known.map(unitName)) }));
    const whole = new Map(wholeUnits(this.#state(), units));
    const target = assign(units, workers, new Map([...preferred, ...whole]));
    const atWork = new Set(this.#members.flatMap(({ id, away }) => (away ? [] : [id])));
    const stay = new Set(
      units.flatMap((unit) => (whole.has(unitName(unit)) && whole.get(unitName(unit)) === target.get(unitName(unit)) ? unit.map(partitionName) : [])),
    );
    for (const [name, held] of [...this.#held]) {
      if (stay.has(name)) continue;
      // A static member pending rejoin works on nothing, so its units are released at once.
      if (!atWork.has(held.member)) this.#free(held);
      else if (!held.revoking) this.#put({ ...held, revoking: true }, 'asked');
    }
    const epoch = this.#epoch + 1;
    for (const unit of units) {
      const member = target.get(unitName(unit));
      if (member === undefined || unit.some((place) => this.#held.has(partitionName(place)))) continue;
      for (const { topic, partition } of unit) this.#put({ topic, partition, epoch, member, revoking: false }, 'given');
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
    this.#held.set(partitionName(held), held);
    this.#effects.push({ type, held });
  }
  #free(held: Held): void {
    this.#held.delete(partitionName(held));
    this.#effects.push({ type: 'freed', held });
  }
}
