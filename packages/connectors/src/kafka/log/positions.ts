/**
 * Positions of groups: their offsets, as the coordinator of the group has them.
 */
import { StoplogError } from '@stoplog/core';
import { partitionName } from '@stoplog/core/kit';
import type { TopicPartition } from '@stoplog/core/port';
import * as protocol from '../client.ts';
import type { Cluster } from './cluster.ts';

/** The group's offsets, after transactions that are being ended; undefined where the group never committed. */
export const committedOffsets = async (
  cluster: Cluster,
  group: string,
  places: readonly { readonly kafka: string; readonly partition: number }[],
): Promise<readonly (bigint | undefined)[]> => {
  const topics = [...new Set(places.map(({ kafka }) => kafka))].map((name) => ({
    name,
    partitionIndexes: places.filter(({ kafka }) => kafka === name).map(({ partition }) => partition),
  }));
  const { groups } = await cluster.coordinated('group', group, 'committed', (connection) =>
    protocol.offsetFetch.api.async(connection, [{ groupId: group, memberId: null, memberEpoch: -1, topics }], true),
  );
  const found = new Map(
    groups[0]!.topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, committedOffset }) => [`${name} ${partitionIndex}`, committedOffset]),
    ),
  );
  return places.map(({ kafka, partition }) => {
    const offset = found.get(`${kafka} ${partition}`) ?? -1n;
    return offset < 0n ? undefined : offset;
  });
};

/** Refused because the group does not stand where the commit was made from. */
export const discontinuous = ({ topic, partition }: TopicPartition, epoch: number, from: bigint, stands: bigint): StoplogError =>
  new StoplogError(
    'STOPLOG_FENCED',
    { topic, partition, epoch, from, stands },
    `this commit continues from offset ${from} of ${partitionName({ topic, partition })}, but the group is at ${stands}: nothing of it was kept, and nothing is to be done`,
  );
