/**
 * A rebalance from the view of a member: it joins with its claim, waits until all others have joined, and receives its assignment.
 *
 * The coordinator makes one member the leader and gives it the claims of all; the leader's assignments travel back by way of
 * the coordinator.
 */
import { SESSION_MS } from '@stoplog/core/kit';
import type { Membership } from '@stoplog/core/port';
import * as protocol from '../client.ts';
import type { Connection } from '../client.ts';
import { failedAs } from '../failures.ts';
import { decodeAssignment, decodeClaim, encodeAssignment, encodeClaim, lead, type Assigned, type Claim, type KafkaAssignment } from './pure/leading.ts';

const PROTOCOL = 'stoplog';

export interface TakingPart {
  readonly call: <T>(call: (connection: Connection) => Promise<T>) => Promise<T>;
  readonly group: string;
  readonly membership: Membership;
  /** '' where the member has none yet. */
  readonly memberId: string;
  readonly claim: Claim;
  /** The assignments of the generation before, as far as the member knows them. */
  readonly before: readonly Assigned[];
  /** Called with the member's id as soon as it has one; false ends the rebalance for it. */
  readonly named: (memberId: string) => boolean;
}

export const takePart = async ({ call, group, membership, memberId, claim, before, named }: TakingPart): Promise<KafkaAssignment> => {
  const { instanceId = null, sessionMs = SESSION_MS } = membership;
  const protocols = [{ name: PROTOCOL, metadata: Buffer.from(encodeClaim(claim)) }];
  const join = (id: string): ReturnType<typeof protocol.joinGroup.api.async> =>
    call((connection) => protocol.joinGroup.api.async(connection, group, sessionMs, sessionMs, id, instanceId, PROTOCOL, protocols, null));
  const joined = await join(memberId).catch((error: unknown) => {
    if (!failedAs(error, 'MEMBER_ID_REQUIRED')) throw error;
    const given = memberIdIn(error);
    if (!named(given)) throw error;
    return join(given);
  });
  const { generationId, memberId: id, leader, skipAssignment, members } = joined;
  named(id);
  const claimants = members.map((one) => ({ memberId: one.memberId, claim: decodeClaim(one.metadata) }));
  const assignments =
    leader === id && !skipAssignment
      ? [...lead(generationId, claimants, before)].map(([to, assignment]) => ({ memberId: to, assignment: Buffer.from(encodeAssignment(assignment)) }))
      : [];
  const { assignment } = await call((connection) =>
    protocol.syncGroup.api.async(connection, group, generationId, id, instanceId, PROTOCOL, PROTOCOL, assignments),
  );
  return decodeAssignment(assignment);
};

/** The id that the coordinator made for a member that has none: it travels with the error. */
const memberIdIn = (error: unknown): string => {
  const { response } = error as { readonly response: { readonly memberId: string } };
  return response.memberId;
};
