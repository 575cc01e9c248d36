/** Which units a group has, when its members do not all declare the same. */
import type { GroupState, Member } from './group-state.ts';
import { comparePlaces, placeName, unitName, type Unit } from './place.ts';

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
export const wholeUnits = (state: GroupState, units: readonly Unit[] = unitsOf(state.members)): readonly (readonly [name: string, member: string])[] =>
  units.flatMap((unit) => {
    const [first, ...rest] = unit.map((place) => state.held.get(placeName(place)));
    const whole = first !== undefined && !first.asked && rest.every((held) => held?.member === first.member && !held.asked);
    return whole ? [[unitName(unit), first.member] as const] : [];
  });
