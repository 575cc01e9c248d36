import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { step, type GroupEvent } from './coordinator.ts';
import { EMPTY_GROUP, assignedName, assignmentsOf, type GroupState, type Member } from './group-state.ts';
import { nextAction } from './member.ts';
import { partitionName, sourcePartition, type AssignedPartition, type Unit } from './group-partition.ts';

const UNITS: readonly Unit[] = [
  ...Array.from({ length: 5 }, (_, partition): Unit => [
    { topic: 'orders', partition },
    { topic: 'prices', partition },
  ]),
  ...Array.from({ length: 3 }, (_, partition): Unit => [{ topic: 'clicks', partition }]),
  [sourcePartition('feed')],
];
/** Another version of the pipeline: it groups the same partitions into other units, and has some units of its own. */
const OTHER_UNITS: readonly Unit[] = [
  ...Array.from({ length: 5 }, (_, partition): Unit => [{ topic: 'orders', partition }]),
  ...Array.from({ length: 3 }, (_, partition): Unit => [
    { topic: 'clicks', partition },
    { topic: 'views', partition },
  ]),
];

interface Living {
  readonly id: string;
  readonly instanceId: string | undefined;
  /** The last assignment that the member received, and so works on. */
  heard: readonly AssignedPartition[] | undefined;
  /** The member has ended all work outside `told`. */
  asks: boolean;
  running: boolean;
}

/** Replaces `expect`, which is too slow for a million calls. */
const must = (holds: boolean, promise: string): void => {
  if (!holds) throw new Error(`broken: ${promise}`);
};

/** A group, all members that ever joined, and an observer that checks the promises at each step. */
class World {
  state: GroupState = EMPTY_GROUP;
  readonly lives: Living[] = [];
  #released = new Set<string>();
  #givings = 0;

  take(event: GroupEvent): void {
    const before = this.state;
    const [after, effects] = step(before, event);
    this.state = after;
    must(after.epoch >= before.epoch, 'the epoch never shrinks');
    const given = effects.filter(({ type }) => type === 'given');
    if (given.length > 0) must(after.epoch > before.epoch, 'each assignment is in an epoch of its own');
    this.#givings += given.length;
    for (const effect of effects) {
      if (effect.type === 'freed') {
        const isOut = !after.members.some(({ id }) => id === effect.held.member);
        const isAway = after.members.some(({ id, away }) => id === effect.held.member && away);
        // A place is freed by a release of its holder, or by the removal of its holder, and by nothing else.
        must(
          isOut || isAway || (event.type === 'release' && event.id === effect.held.member && effect.held.revoking),
          'only a release, or the removal of its holder, frees a place',
        );
        this.#released.add(partitionName(effect.held));
      }
      if (effect.type === 'given') {
        const name = partitionName(effect.held);
        // A place that is assigned was free, or was released by its holder first.
        must(!before.held.has(name) || this.#released.has(name), 'released before assigned');
        must(effect.held.epoch === after.epoch, 'assigned in the newest epoch');
        this.#released.delete(name);
      }
    }
    for (const unit of after.members.flatMap(({ units }) => units)) {
      const epochs = new Set(
        unit.map((place) => after.held.get(partitionName(place))).flatMap((held) => (held === undefined ? [] : [held.member + held.epoch])),
      );
      if (after.members.every(({ units }) => units === UNITS)) must(epochs.size <= 1, 'a unit has one holder and one epoch');
    }
    this.#checkWorkers();
  }
  /** No two members whose commits would be accepted work on one place. */
  #checkWorkers(): void {
    const workers = new Map<string, string>();
    for (const { id, heard } of this.lives) {
      for (const holding of heard ?? []) {
        const held = this.state.held.get(partitionName(holding));
        if (held?.epoch !== holding.epoch) continue;
        must(held.member === id, 'a member that commits in an epoch holds the place in that epoch');
        must(!workers.has(partitionName(holding)), 'one member works on a place');
        workers.set(partitionName(holding), id);
      }
    }
  }
  join(units: readonly Unit[], instanceId: string | undefined): void {
    const id = `m${this.lives.length}`;
    this.lives.push({ id, instanceId, heard: undefined, asks: true, running: true });
    this.take({ type: 'join', member: { id, instanceId, units, heartbeats: 0, away: false } });
  }
  member(incarnation: Living): Member | undefined {
    return this.state.members.find(({ id }) => id === incarnation.id);
  }
  /** A member looks at the group; false when it has nothing to do. */
  look(incarnation: Living): boolean {
    if (!incarnation.running || !incarnation.asks) return false;
    const description = assignmentsOf(this.state, incarnation.id);
    const replaced = this.state.members.some(({ instanceId }) => instanceId !== undefined && instanceId === incarnation.instanceId);
    const action = nextAction(incarnation.heard, description === undefined ? { isIn: false, replaced } : { isIn: true, ...description });
    if (action.type === 'wait') return false;
    if (action.type === 'release') this.take({ type: 'release', id: incarnation.id, keeps: action.keeps });
    else if (action.type === 'report') {
      incarnation.heard = action.partitions;
      incarnation.asks = false;
    } else {
      incarnation.running = false;
      incarnation.heard = undefined;
      if (action.type === 'join') this.join(UNITS, incarnation.instanceId);
    }
    return true;
  }
  quiet(): number {
    const before = this.#givings;
    for (let busy = true; busy;) {
      busy = false;
      for (const incarnation of this.lives) {
        incarnation.asks = true;
        while (this.look(incarnation)) [busy, incarnation.asks] = [true, true];
      }
    }
    return this.#givings - before;
  }
}

type Move = readonly [
  kind: 'join' | 'join static' | 'join other' | 'look' | 'ask' | 'leave' | 'crash' | 'expire' | 'expire late' | 'gone' | 'clear',
  which: number,
];
const kinds = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Move[0]>('join', 'join static', 'leave', 'crash', 'expire', 'gone') },
  { weight: 8, arbitrary: fc.constantFrom<Move[0]>('look', 'ask') },
  { weight: 1, arbitrary: fc.constantFrom<Move[0]>('expire late', 'join other', 'clear') },
);
const moves = fc.array(fc.tuple(kinds, fc.nat(1_000)), { minLength: 30, maxLength: 80 });

const run = (world: World, [kind, which]: Move): void => {
  const running = world.lives.filter((incarnation) => incarnation.running);
  const incarnation = running[which % Math.max(1, running.length)];
  const member = world.state.members[which % Math.max(1, world.state.members.length)];
  if (kind === 'clear') return which % 5 === 0 ? world.take({ type: 'clear' }) : undefined;
  if (kind === 'join') return running.length < 7 ? world.join(UNITS, undefined) : undefined;
  if (kind === 'join other') return running.length < 7 ? world.join(OTHER_UNITS, undefined) : undefined;
  if (kind === 'join static') return world.join(UNITS, `s${which % 3}`);
  if (kind === 'look') return incarnation === undefined ? undefined : void world.look(incarnation);
  if (kind === 'ask') return incarnation === undefined ? undefined : void (incarnation.asks = true);
  if (kind === 'crash' && incarnation !== undefined) incarnation.running = false;
  if (kind === 'leave' && incarnation !== undefined) {
    incarnation.running = false;
    incarnation.heard = [];
    world.take({ type: 'leave', id: incarnation.id });
  }
  if (member === undefined) return;
  if (kind === 'expire') world.take({ type: 'expire', id: member.id, beat: member.heartbeats, why: 'silent' });
  if (kind === 'gone') {
    const before = world.state;
    world.take({ type: 'expire', id: member.id, beat: member.heartbeats, why: 'gone' });
    if (member.instanceId !== undefined) expect(world.state).toBe(before);
  }
  if (kind === 'expire late') {
    world.take({ type: 'beat', id: member.id });
    const before = world.state;
    world.take({ type: 'expire', id: member.id, beat: member.heartbeats, why: 'silent' });
    expect(world.state).toBe(before);
  }
};

describe('a group through any sequence of events', () => {
  test('each place has one holder, is released before it is assigned, and all places are assigned and balanced when the group is at rest', () => {
    let taken = 0;
    fc.assert(
      fc.property(moves, (list) => {
        const world = new World();
        for (const move of list) run(world, move);
        taken += list.length;
        // Crashed members are detected; then every member looks until no member has anything to do.
        for (const { id, heartbeats: beat } of world.state.members) {
          if (!world.lives.some((incarnation) => incarnation.id === id && incarnation.running)) world.take({ type: 'expire', id, beat, why: 'silent' });
        }
        world.quiet();
        const { members, held } = world.state;
        if (members.length === 0) expect(held.size).toBe(0);
        expect([...held.values()].some(({ revoking }) => revoking)).toBe(false);
        for (const incarnation of world.lives.filter(({ running }) => running))
          expect(incarnation.heard?.map(assignedName)).toEqual(assignmentsOf(world.state, incarnation.id)?.holds.map(assignedName));
        if (members.length === 0 || !members.every(({ units }) => units === UNITS)) return;
        expect(held.size).toBe(UNITS.flat().length);
        const sizes = members.map(({ id }) => UNITS.filter(([place]) => held.get(partitionName(place!))!.member === id).length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
    expect(taken).toBeGreaterThan(10_000);
  });
  test('a rebalance disturbs no more than it must: a member that joins takes only its share, a member that leaves frees only its own units', () => {
    for (let size = 1; size <= 6; size++) {
      const world = new World();
      for (let i = 0; i < size; i++) world.join(UNITS, undefined);
      world.quiet();
      const before = new Map(world.state.held);
      world.join(UNITS, undefined);
      world.quiet();
      const moved = UNITS.filter(([place]) => before.get(partitionName(place!))!.epoch !== world.state.held.get(partitionName(place!))!.epoch);
      expect(moved.length).toBe(Math.floor(UNITS.length / (size + 1)));
      const last = world.lives.at(-1)!;
      last.running = false;
      const kept = new Map(world.state.held);
      world.take({ type: 'leave', id: last.id });
      world.quiet();
      for (const [name, held] of kept) if (held.member !== last.id) expect(world.state.held.get(name)).toEqual(held);
    }
  });
});
