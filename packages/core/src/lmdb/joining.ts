/**
 * A member of a group in its own thread: it reads its assignment, reports it, and sends its requests to the writer. The next
 * action is decided in pure/group/member.ts.
 */
import { randomUUID } from 'node:crypto';
import type { Assignment, AssignedPartition, Membership } from '../port/log.ts';
import { assignmentsOf } from '../pure/group/group-state.ts';
import { keepsWithout, nextAction, replacedError, type MemberAction } from '../pure/group/member.ts';
import { partitionName, type GroupPartition, type Unit } from '../pure/group/group-partition.ts';
import { SESSION_MS } from '../pure/group/session.ts';
import type { KeptGroup } from './layout/group-record.ts';
import { failpoint } from '../failpoints/failpoint.ts';
import type { WriterLink } from './writer/link.ts';

interface Joining {
  readonly group: string;
  readonly groupId: number;
  /** The units of the membership, place for place, with the numbers of topics in place of their names. */
  readonly units: readonly Unit[];
  readonly read: () => KeptGroup;
  readonly link: WriterLink;
  readonly isOpen: () => boolean;
  readonly signal: AbortSignal;
}

export async function* joinGroup(membership: Membership, { group, groupId, units, read, link, isOpen, signal }: Joining): AsyncGenerator<Assignment> {
  const { instanceId, sessionMs = SESSION_MS } = membership;
  const places = units.flatMap((unit, i) => unit.map((numbered, j) => ({ numbered, place: membership.units[i]![j]! })));
  const names = new Map(places.map(({ numbered, place }): [string, GroupPartition] => [partitionName(numbered), place]));
  const numbers = new Map(places.map(({ numbered, place }): [string, GroupPartition] => [partitionName(place), numbered]));
  let instance = '';
  let reported: readonly AssignedPartition[] | undefined;
  const next = (): { readonly action: MemberAction; readonly version: number } => {
    const { record, state } = read();
    const description = assignmentsOf(state, instance);
    // Before this member has joined, the member with its instance id is the one it replaces.
    const replaced = instance !== '' && instanceId !== undefined && state.members.some((member) => member.instanceId === instanceId);
    return { action: nextAction(reported, description === undefined ? { isIn: false, replaced } : { isIn: true, ...description }), version: record.version };
  };
  const release = async (ended: readonly GroupPartition[]): Promise<void> => {
    const description = assignmentsOf(read().state, instance);
    if (description === undefined) return;
    const keeps = keepsWithout(
      description,
      ended.flatMap((place) => numbers.get(partitionName(place)) ?? []),
    );
    failpoint('release');
    await link.call({ type: 'release', groupId, instance, keeps });
  };
  try {
    while (!signal.aborted) {
      const { action, version } = next();
      if (action.type === 'join') {
        instance = randomUUID();
        await link.call({ type: 'join', groupId, instance, instanceId, sessionMs, units });
      } else if (action.type === 'release') {
        failpoint('release');
        await link.call({ type: 'release', groupId, instance, keeps: action.keeps });
      } else if (action.type === 'wait') {
        await link.wait({ type: 'wait-group', groupId, version }, Infinity, signal);
      } else if (action.type === 'replaced') {
        throw replacedError(group, instanceId);
      } else {
        reported = action.partitions;
        if (reported.length > 0) failpoint('acquire');
        yield { group, partitions: reported.map((holding) => ({ ...named(names.get(partitionName(holding))!), epoch: holding.epoch })), release };
      }
    }
  } finally {
    failpoint('release');
    if (isOpen() && instance !== '') await link.call({ type: 'leave', groupId, instance });
  }
}

/** A caller may pass a place with more properties. */
const named = ({ topic, partition }: GroupPartition): GroupPartition => ({ topic, partition });
