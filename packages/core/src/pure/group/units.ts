/** The units of a group whose members do not all declare the same ones. */
import type { GroupState, Member } from './group-state.ts';
import { comparePartitions, partitionName, unitName, type Unit } from './group-partition.ts';

/**
 * All units of the member that joined last, and each unit of the others that shares no place with them. So two versions of a
 * pipeline that group their partitions differently can be in one group while one replaces the other.
 */
export const unitsOf = (members: readonly Member[]): readonly Unit[] => {
  const units = new Map<string, Unit>();
  const taken = new Set<string>();
  for (const member of members.toReversed()) {
    const fresh = member.units.filter((unit) => !units.has(unitName(unit)) && unit.length > 0 && !unit.some((place) => taken.has(partitionName(place))));
    for (const unit of fresh) {
      units.set(unitName(unit), unit);
      for (const place of unit) taken.add(partitionName(place));
    }
  }
  return [...units.values()].sort(compareUnits);
};
const compareUnits = (a: Unit, b: Unit): number => {
  const [x, y] = [[...a].sort(comparePartitions), [...b].sort(comparePartitions)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const order = comparePartitions(x[i]!, y[i]!);
    if (order !== 0) return order;
  }
  return x.length - y.length;
};

/**
 * Units fully assigned to one member and not being revoked, with that member's id. The places of such a unit share an epoch,
 * since a unit is assigned as a whole.
 */
export const wholeUnits = (state: GroupState, units: readonly Unit[] = unitsOf(state.members)): readonly (readonly [name: string, member: string])[] =>
  units.flatMap((unit) => {
    const [first, ...rest] = unit.map((place) => state.held.get(partitionName(place)));
    const whole = first !== undefined && !first.revoking && rest.every((held) => held?.member === first.member && !held.revoking);
    return whole ? [[unitName(unit), first.member] as const] : [];
  });
