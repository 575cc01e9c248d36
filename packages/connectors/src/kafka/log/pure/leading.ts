/**
 * Assigns partitions to the members of a group; run by the member that Kafka made the leader of a rebalance.
 *
 * A member *claims* the partitions that it works on when it joins; the leader answers each with an assignment. A new generation begins when every
 * member has joined, so no member works on an unclaimed partition, and it can be assigned at once, in the generation as its epoch.
 * A partition that is to move is first asked for: its holder works on it until it leaves it out of a claim, and then it is assigned to
 * another. The balance is that of every log, `groupStep` of the core; only the state is rebuilt from the claims.
 *
 * A member that Kafka removed claims nothing, and one that Kafka has not heard of since is not in the generation: its commits are
 * refused by the group's coordinator.
 */
import { EMPTY_GROUP, groupStep, partitionName, assignmentsOf, type GroupMemberState, type GroupState } from '@stoplog/core/kit';
import type { AssignedPartition, TopicPartition } from '@stoplog/core/port';

/** The data that a member joins with. */
export interface Claim {
  readonly units: readonly (readonly TopicPartition[])[];
  /** Partitions that it works on; `asked` where it is to hand one over and has not ended its work yet. */
  readonly works: readonly (AssignedPartition & { readonly asked: boolean })[];
  /** When it first joined: of members that declare different units the latest counts. */
  readonly since: number;
  readonly instanceId?: string | undefined;
  /** Differs in each life of a static member. */
  readonly incarnation: string;
  /** Counts the claims of a life: Kafka rebalances for a claim only if it differs from the one before. */
  readonly joins: number;
}
export interface Claimant {
  readonly memberId: string;
  readonly claim: Claim;
}
export interface KafkaAssignment {
  /** The generation of the assignment; 0 before the first. */
  readonly generation: number;
  readonly holds: readonly AssignedPartition[];
  readonly asked: readonly AssignedPartition[];
  /** All that is assigned in the group: from it a static member that returns gets its last assignment. */
  readonly table: readonly Assigned[];
}
export interface Assigned extends AssignedPartition {
  readonly incarnation: string;
  readonly instanceId?: string | undefined;
}

/** The assignment of each member. `before` is the table of the last generation that this member knows. */
export const lead = (generation: number, claimants: readonly Claimant[], before: readonly Assigned[]): ReadonlyMap<string, KafkaAssignment> => {
  const ordered = [...claimants].sort((a, b) => a.claim.since - b.claim.since || (a.memberId < b.memberId ? -1 : 1));
  let state: GroupState = { ...EMPTY_GROUP, epoch: generation - 1 };
  const held = new Map<string, GroupState['held'] extends ReadonlyMap<string, infer H> ? H : never>();
  for (const { memberId, claim } of ordered) {
    for (const { topic, partition, epoch, asked } of [...claim.works, ...returning(claim, before, generation)]) {
      const name = partitionName({ topic, partition });
      const other = held.get(name);
      if (other === undefined || other.epoch < epoch) held.set(name, { topic, partition, epoch, revoking: asked, member: memberId });
    }
  }
  const members = ordered.map(({ memberId, claim }): GroupMemberState => ({ id: memberId, units: claim.units, heartbeats: 0, away: false }));
  state = { ...state, members: members.slice(0, -1), held };
  for (const member of members.slice(-1)) [state] = groupStep(state, { type: 'join', member });
  const claims = new Map(ordered.map(({ memberId, claim }) => [memberId, claim]));
  const table = [...state.held.values()].map(({ topic, partition, epoch, member }): Assigned => {
    const { incarnation, instanceId } = claims.get(member)!;
    return { topic, partition, epoch, incarnation, instanceId };
  });
  return new Map(ordered.map(({ memberId }) => [memberId, { generation, ...assignmentsOf(state, memberId)!, table }]));
};

/** The last assignment of a static member that returns, in a new epoch; the other members keep theirs. */
const returning = ({ instanceId, incarnation }: Claim, before: readonly Assigned[], epoch: number): Claim['works'] =>
  instanceId === undefined
    ? []
    : before.flatMap(({ topic, partition, instanceId: of, incarnation: had }) =>
        of === instanceId && had !== incarnation ? [{ topic, partition, epoch, asked: false }] : [],
      );

export const encodeClaim = (claim: Claim): Uint8Array => new TextEncoder().encode(JSON.stringify(claim));
export const encodeAssignment = (assignment: KafkaAssignment): Uint8Array => new TextEncoder().encode(JSON.stringify(assignment));
/** Decodes bytes of a member of the same group, in this version or another. */
export const decodeClaim = (bytes: Uint8Array): Claim => JSON.parse(new TextDecoder().decode(bytes)) as Claim;
export const decodeAssignment = (bytes: Uint8Array): KafkaAssignment =>
  bytes.length === 0 ? { generation: 0, holds: [], asked: [], table: [] } : (JSON.parse(new TextDecoder().decode(bytes)) as KafkaAssignment);
