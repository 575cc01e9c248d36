/**
 * Finds the fence of a commit on Kafka: the member that holds its places in its epoch, and the generation that the member is in.
 *
 * A commit may come from any log on the cluster, also from a thread that joined nothing, and names an epoch only. A member of this
 * log says at once whether it holds the places. Of any other the group's coordinator tells: it keeps each assignment as bytes, with
 * its generation in them. It answers nothing during a rebalance; meanwhile the last answer is used, and the
 * coordinator refuses a commit under it when it is no longer true.
 */
import { StoplogError } from '@stoplog/core';
import { checkEpoch, partitionName } from '@stoplog/core/kit';
import type { TopicPartition } from '@stoplog/core/port';
import { setTimeout as after } from 'node:timers/promises';
import * as protocol from '../client.ts';
import type { Cluster } from './cluster.ts';
import type { Fence } from './fence.ts';
import type { Member } from './member.ts';
import { decodeAssignment, type KafkaAssignment } from './pure/leading.ts';

interface Reported extends Fence {
  readonly assignment: KafkaAssignment;
}
interface Description {
  /** True once a member has joined the group. */
  readonly isJoined: boolean;
  readonly members: readonly Reported[];
}

const POLL_MS = 5;

export class Fences {
  readonly #cluster: Cluster;
  readonly #membersOf: (group: string) => Iterable<Member>;
  readonly #described = new Map<string, Description>();

  /** `membersOf` gives the members of this log. */
  constructor(cluster: Cluster, membersOf: (group: string) => Iterable<Member>) {
    this.#cluster = cluster;
    this.#membersOf = membersOf;
  }

  /** The fence of a commit; undefined in a group that never had a member. Refused where no member holds the places in this epoch. */
  async find(group: string, epoch: number, places: readonly TopicPartition[]): Promise<Fence | undefined> {
    for (const member of this.#membersOf(group)) {
      const fence = member.fence(places, epoch);
      if (fence !== undefined) return fence;
    }
    const known = this.#described.get(group);
    const found = known && holderOf(known, epoch, places);
    if (found !== undefined) return found;
    const description = await this.#describe(group);
    this.#described.set(group, description);
    if (!description.isJoined && epoch === 0) return undefined;
    return holderOf(description, epoch, places) ?? refuse(description, epoch, places);
  }
  /** The coordinator has refused a fence: resolves when the next one that is found is of a later generation, or none. */
  async refused(group: string, fence: Fence): Promise<void> {
    this.#described.delete(group);
    for (const member of this.#membersOf(group)) await member.behind(fence);
  }

  async #describe(group: string): Promise<Description> {
    for (;;) {
      const [found] = (
        await this.#cluster.coordinated('group', group, 'committed', (connection) => protocol.describeGroups.api.async(connection, [group], false))
      ).groups;
      const { groupState, protocolType, members } = found!;
      if (groupState === 'Stable') return { isJoined: true, members: members.map(reported) };
      if (groupState === 'Empty' || groupState === 'Dead') return { isJoined: protocolType !== '', members: [] };
      await after(POLL_MS);
    }
  }
}

const reported = ({ memberId, groupInstanceId, memberAssignment }: Described): Reported => {
  const assignment = decodeAssignment(memberAssignment);
  return { memberId, instanceId: groupInstanceId ?? null, generation: assignment.generation, assignment };
};
type Described = Awaited<ReturnType<typeof protocol.describeGroups.api.async>>['groups'][number]['members'][number];

const holderOf = ({ members }: Description, epoch: number, places: readonly TopicPartition[]): Fence | undefined =>
  members.find(({ assignment: { holds, asked } }) => {
    const has = new Set([...holds, ...asked].filter((holding) => holding.epoch === epoch).map(partitionName));
    return places.every((place) => has.has(partitionName(place)));
  });

const refuse = ({ members }: Description, epoch: number, places: readonly TopicPartition[]): never => {
  const held = new Map(members.flatMap(({ assignment: { holds, asked } }) => [...holds, ...asked]).map((holding) => [partitionName(holding), holding.epoch]));
  for (const place of places) {
    const current = held.get(partitionName(place));
    if (current !== undefined) checkEpoch(epoch, current, () => ({ place, groupEpoch: current }));
  }
  const free = places.find((place) => !held.has(partitionName(place))) ?? places[0]!;
  throw new StoplogError(
    'STOPLOG_FENCED',
    { topic: free.topic, partition: free.partition, epoch },
    `no member holds ${partitionName(free)} now, this commit is of epoch ${epoch}: nothing of it was kept, and nothing is to be done`,
  );
};
