/**
 * The units that are assigned to a process, and the actors that a new assignment starts and ends.
 *
 * An actor continues undisturbed if its unit is in both assignments in one epoch. In another epoch another process may have held the unit
 * in between: the actor's state is stale, and a new actor starts at the group's positions.
 */
import type { AssignedPartition } from '@stoplog/core/port';
import { partitionName } from '@stoplog/core/kit';
import type { Unit } from './units.ts';

export interface Held {
  readonly unit: Unit;
  readonly epoch: number;
}
/** By the names of the units. */
export type Holdings = ReadonlyMap<string, Held>;
export const NOTHING_HELD: Holdings = new Map();

/** The units that are whole, and in one epoch, in an assignment. */
export const holdingsIn = (units: readonly Unit[], assigned: readonly AssignedPartition[]): Holdings => {
  const epochs = new Map(assigned.map((holding) => [partitionName(holding), holding.epoch]));
  const held = new Map<string, Held>();
  for (const unit of units) {
    const [epoch, ...others] = new Set(unit.places.map((place) => epochs.get(partitionName(place))));
    if (epoch !== undefined && others.length === 0) held.set(unit.name, { unit, epoch });
  }
  return held;
};

export interface Difference {
  /** The units to drain before the next assignment is requested. */
  readonly ended: readonly Held[];
  /** The units to start; a unit held in another epoch starts when its old actor has ended. */
  readonly started: readonly Held[];
  readonly kept: readonly Held[];
}
export const differenceOf = (before: Holdings, now: Holdings): Difference => {
  const goesOn = ({ unit, epoch }: Held, other: Holdings): boolean => other.get(unit.name)?.epoch === epoch;
  return {
    ended: [...before.values()].filter((held) => !goesOn(held, now)),
    started: [...now.values()].filter((held) => !goesOn(held, before)),
    kept: [...now.values()].filter((held) => goesOn(held, before)),
  };
};
