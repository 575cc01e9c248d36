import { partitionName } from '@stoplog/core/kit';
import type { AssignedPartition } from '@stoplog/core/port';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeAssignment, decodeClaim, encodeAssignment, encodeClaim, lead, type Claim, type Claimant } from './leading.ts';

const seed = Date.now() % 2 ** 31;
const units = Array.from({ length: 5 }, (_, partition) => [{ topic: 'a', partition }]);
type Works = Claim['works'];
const claimOf = (since: number, works: Works, more: Partial<Claim> = {}): Claim => ({ units, works, since, incarnation: `life ${since}`, joins: 1, ...more });
const held = (partition: number, epoch: number, asked = false): Works[number] => ({ topic: 'a', partition, epoch, asked });
const names = (holdings: readonly AssignedPartition[]): readonly string[] => holdings.map((one) => `${partitionName(one)}@${one.epoch}`);

/** A member of a simulated group: Kafka knows it by its id, and it works on its last assignment. */
interface Simulated {
  readonly since: number;
  works: Works;
}
type Move = 'join' | 'leave' | 'release' | 'rebalance' | 'rebalance, half is lost';

describe('the leader of a group', () => {
  test('a member that is alone is assigned everything, in the generation as its epoch', () => {
    const assignment = lead(7, [{ memberId: 'm', claim: claimOf(1, []) }], []).get('m')!;
    expect(names(assignment.holds)).toEqual(['a[0]@7', 'a[1]@7', 'a[2]@7', 'a[3]@7', 'a[4]@7']);
    expect(assignment).toMatchObject({ generation: 7, asked: [] });
  });
  test('a unit that is to move is asked for first, and assigned in the generation in which no member claims it', () => {
    const works = [0, 1, 2, 3, 4].map((partition) => held(partition, 1));
    const claimants: readonly Claimant[] = [
      { memberId: 'old', claim: claimOf(1, works) },
      { memberId: 'new', claim: claimOf(2, []) },
    ];
    const second = lead(2, claimants, []);
    expect(second.get('new')!.holds).toEqual([]);
    expect(second.get('old')!.asked).toHaveLength(2);
    const kept = second.get('old')!.holds.map((one) => ({ ...one, asked: false }));
    const third = lead(3, [{ memberId: 'old', claim: claimOf(1, kept) }, claimants[1]!], []);
    expect(names(third.get('old')!.holds)).toEqual(names(kept));
    expect(third.get('new')!.holds.map(({ epoch }) => epoch)).toEqual([3, 3]);
  });
  test('a holding that was asked for stays asked for, whoever leaves', () => {
    const works = [held(0, 1), held(1, 1, true)];
    const assignment = lead(4, [{ memberId: 'm', claim: claimOf(1, works) }], []).get('m')!;
    expect(names(assignment.asked)).toEqual(['a[1]@1']);
  });
  test('a static member that comes back gets what it had, in a new epoch, and the other member keeps its own', () => {
    const before = [0, 1, 2].map((partition) => ({ topic: 'a', partition, epoch: 3, incarnation: 'first', instanceId: 's' }));
    const other = [held(3, 4), held(4, 4)];
    const result = lead(
      9,
      [
        { memberId: 's-2', claim: claimOf(2, [], { instanceId: 's', incarnation: 'second' }) },
        { memberId: 'm', claim: claimOf(1, other) },
      ],
      before,
    );
    expect(names(result.get('s-2')!.holds)).toEqual(['a[0]@9', 'a[1]@9', 'a[2]@9']);
    expect(names(result.get('m')!.holds)).toEqual(['a[3]@4', 'a[4]@4']);
  });
  test('claims and assignments come back from their bytes', () => {
    const claim = claimOf(3, [held(1, 2, true)], { instanceId: 'i' });
    expect(decodeClaim(encodeClaim(claim))).toEqual(claim);
    const assignment = lead(2, [{ memberId: 'm', claim }], []).get('m')!;
    expect(decodeAssignment(encodeAssignment(assignment))).toEqual(assignment);
    expect(decodeAssignment(new Uint8Array())).toMatchObject({ generation: 0, holds: [] });
  });

  test(`no two members work on one partition, and a quiet group is balanced (seed ${seed})`, () => {
    const move = fc.constantFrom<Move>('join', 'leave', 'release', 'rebalance', 'rebalance', 'rebalance, half is lost');
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), fc.infiniteStream(fc.nat()), (moves, chance) => {
        const members = new Map<string, Simulated>();
        let [generation, born] = [0, 0];
        const pick = (): number => chance.next().value!;
        const expectOneOwner = (): void => {
          const all = [...members.values()].flatMap(({ works }) => works.map(partitionName));
          expect(new Set(all).size).toBe(all.length);
        };
        const rebalance = (arrives: () => boolean): void => {
          generation++;
          const claimants = [...members].map(([memberId, { since, works }]) => ({ memberId, claim: claimOf(since, works) }));
          for (const [id, { holds, asked }] of lead(generation, claimants, [])) {
            if (arrives()) members.get(id)!.works = [...holds.map((one) => ({ ...one, asked: false })), ...asked.map((one) => ({ ...one, asked: true }))];
          }
          expectOneOwner();
        };
        for (const one of moves) {
          const ids = [...members.keys()];
          const id = ids[pick() % Math.max(1, ids.length)];
          if (one === 'join' && members.size < 6) members.set(`m${born}`, { since: born++, works: [] });
          else if (one === 'leave' && id !== undefined) members.delete(id);
          else if (one === 'release' && id !== undefined) members.get(id)!.works = members.get(id)!.works.filter(({ asked }) => !asked || pick() % 2 === 0);
          else if (one === 'rebalance') rebalance(() => true);
          else if (one === 'rebalance, half is lost') rebalance(() => pick() % 2 === 0);
        }
        if (members.size === 0) return;
        for (let n = 0; n < 3; n++) {
          rebalance(() => true);
          for (const member of members.values()) member.works = member.works.filter(({ asked }) => !asked);
        }
        const sizes = [...members.values()].map(({ works }) => works.length);
        expect(sizes.reduce((a, b) => a + b, 0)).toBe(units.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
      { seed },
    );
  });
});
