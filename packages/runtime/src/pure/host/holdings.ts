/**
 * What a process has of a pipeline, and what becomes of its actors when it is assigned something else.
 *
 * An actor goes on undisturbed if its unit is in both assignments in one epoch. In another epoch somebody else may have had
 * it between the two: what the actor knows is old, and a new one begins where the group stands.
 */
import type { Holding } from '@stoplog/core/port';
import { placeName } from '@stoplog/core/kit';
import type { Unit } from './units.ts';

export interface Held {
  readonly unit: Unit;
  readonly epoch: number;
}
/** By the names of the units. */
export type Holdings = ReadonlyMap<string, Held>;
export const NOTHING_HELD: Holdings = new Map();

/** The units that lie whole, and in one epoch, in an assignment. */
export const holdingsIn = (units: readonly Unit[], assigned: readonly Holding[]): Holdings => {
  const epochs = new Map(assigned.map((holding) => [placeName(holding), holding.epoch]));
  const held = new Map<string, Held>();
  for (const unit of units) {
    const [epoch, ...others] = new Set(unit.places.map((place) => epochs.get(placeName(place))));
    if (epoch !== undefined && others.length === 0) held.set(unit.name, { unit, epoch });
  }
  return held;
};

export interface Difference {
  /** To be drained before the next assignment is asked for. */
  readonly ended: readonly Held[];
  /** To be started, those that were had in another epoch when their old actor has ended. */
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
