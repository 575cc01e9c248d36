/** What a group is at any moment: who is in it, and who holds which place. */
import { comparePlaces, placeName, type Holding, type Unit } from './place.ts';

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

/** What a member works on, and what it was asked to end; undefined when it is not in the group. */
export const standingOf = (state: GroupState, id: string): { readonly holds: readonly Holding[]; readonly asked: readonly Holding[] } | undefined => {
  if (!state.members.some((member) => member.id === id)) return undefined;
  const mine = [...state.held.values()].filter(({ member }) => member === id).sort(comparePlaces);
  const plain = (asked: boolean): readonly Holding[] =>
    mine.filter((held) => held.asked === asked).map(({ topic, partition, epoch }) => ({ topic, partition, epoch }));
  return { holds: plain(false), asked: plain(true) };
};

export const holdingName = (holding: Holding): string => `${placeName(holding)} ${holding.epoch}`;
