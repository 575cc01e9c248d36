/**
 * The members that this log has in groups, and the assignments that each yields to its caller.
 *
 * The next action of a member is decided as in every log, by `nextAction` of the core.
 */
import { randomUUID } from 'node:crypto';
import { keepsWithout, nextAction, replacedError } from '@stoplog/core/kit';
import type { Assignment, AssignedPartition, Membership, TopicPartition } from '@stoplog/core/port';
import type { Cluster } from './cluster.ts';
import { Member } from './member.ts';

export class Groups {
  readonly #cluster: Cluster;
  readonly #members = new Map<string, Set<Member>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** `group` as it is named in the cluster, `name` as the caller names it. */
  async *join(name: string, group: string, membership: Membership, signal: AbortSignal): AsyncGenerator<Assignment> {
    const members = this.of(group);
    let member: Member | undefined;
    let reported: readonly AssignedPartition[] | undefined;
    const release = async (ended: readonly TopicPartition[]): Promise<void> => {
      if (member?.isIn === true) await member.release(keepsWithout(member, ended));
    };
    try {
      while (!signal.aborted) {
        member?.check();
        const description = member?.isIn === true ? ({ isIn: true, holds: member.holds, asked: member.asked } as const) : undefined;
        const action = nextAction(reported, description ?? { isIn: false, replaced: member?.isReplaced === true });
        if (action.type === 'join') {
          if (member !== undefined) members.delete(member);
          member = new Member(this.#cluster, group, membership, randomUUID());
          members.add(member);
          const entered = member.changed(signal);
          member.enter();
          await entered;
        } else if (action.type === 'release') await member!.release(action.keeps);
        else if (action.type === 'wait') await member!.changed(signal);
        else if (action.type === 'replaced') throw replacedError(name, membership.instanceId);
        else {
          reported = action.partitions;
          yield { group: name, partitions: reported, release };
        }
      }
    } finally {
      await member?.leave();
      if (member !== undefined) members.delete(member);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#members.values()].flatMap((members) => [...members].map((member) => member.leave())));
  }
  /** The members of this log in a group. */
  of(group: string): Set<Member> {
    let members = this.#members.get(group);
    if (members === undefined) this.#members.set(group, (members = new Set()));
    return members;
  }
}
