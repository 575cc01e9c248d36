/** The state of a group at one moment: its members, and the holder of each place. */
import { comparePartitions, partitionName, type AssignedPartition, type Unit } from './group-partition.ts';

export interface Member {
  /** Unique for each join. */
  readonly id: string;
  /** A member that rejoins under this name within the session gets its units back. Without one the member is *dynamic*. */
  readonly instanceId?: string | undefined;
  readonly units: readonly Unit[];
  /** The heartbeat counter, which grows while the member lives (session.ts). */
  readonly heartbeats: number;
  /** True for a static member that has ended and may rejoin: it works on nothing. */
  readonly away: boolean;
}
export interface Held extends AssignedPartition {
  readonly member: string;
  /** The place is being revoked. */
  readonly revoking: boolean;
}
export interface GroupState<M extends Member = Member> {
  /** Grows with each assignment, and never shrinks. */
  readonly epoch: number;
  /** In the order in which they joined. */
  readonly members: readonly M[];
  /** Each place's holder, by the name of the place. */
  readonly held: ReadonlyMap<string, Held>;
}
export const EMPTY_GROUP: GroupState<never> = { epoch: 0, members: [], held: new Map() };

/** The places that a member works on and the ones being revoked from it; undefined when it is not in the group. */
export const assignmentsOf = (
  state: GroupState,
  id: string,
): { readonly holds: readonly AssignedPartition[]; readonly asked: readonly AssignedPartition[] } | undefined => {
  if (!state.members.some((member) => member.id === id)) return undefined;
  const mine = [...state.held.values()].filter(({ member }) => member === id).sort(comparePartitions);
  const plain = (asked: boolean): readonly AssignedPartition[] =>
    mine.filter((held) => held.revoking === asked).map(({ topic, partition, epoch }) => ({ topic, partition, epoch }));
  return { holds: plain(false), asked: plain(true) };
};

export const assignedName = (holding: AssignedPartition): string => `${partitionName(holding)} ${holding.epoch}`;
