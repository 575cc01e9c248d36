/**
 * The requests that a partition's leader answers: fetch, list offsets, delete records.
 *
 * A fetch that waits has a connection of its own while it waits, for the broker answers a connection's requests one after the
 * other. The end of a partition is its last stable offset: transactions beyond it may still be aborted.
 */
import * as protocol from '../client.ts';
import type { FetchedPartition } from '../client.ts';
import { failedAs, retrying } from '../failures.ts';
import type { Cluster, TopicInfo } from './cluster.ts';

const COMMITTED = 1;
const LATEST = -1n;
const EARLIEST = -2n;
const DELETE_MS = 30_000;

export class Requests {
  readonly #cluster: Cluster;
  readonly #idle: string[] = [];
  #lanes = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** The last stable offset: everything below it is committed or aborted. */
  end(topic: string, partition: number): Promise<bigint> {
    return this.offset(topic, partition, LATEST);
  }
  start(topic: string, partition: number): Promise<bigint> {
    return this.offset(topic, partition, EARLIEST);
  }
  /** Where a partition starts, and where it ends. */
  async ends(topic: string, partition: number): Promise<readonly [start: bigint, end: bigint]> {
    return [await this.start(topic, partition), await this.end(topic, partition)];
  }
  /** Deletes the records before an offset, and answers where the partition starts now. */
  async deleteBefore(topic: string, partition: number, offset: bigint): Promise<bigint> {
    const { topics } = await this.#led(topic, partition, 'delete', async (info) =>
      protocol.deleteRecords.api.async(
        await this.#cluster.leader(info, partition, 'delete'),
        [{ name: topic, partitions: [{ partitionIndex: partition, offset }] }],
        DELETE_MS,
      ),
    );
    return topics[0]!.partitions[0]!.lowWatermark;
  }
  /** The first offset whose record, or control batch, has the timestamp or a later one; -1 where there is none. */
  async offset(topic: string, partition: number, timestamp: bigint): Promise<bigint> {
    const { topics } = await this.#led(topic, partition, 'offsets', async (info) =>
      protocol.listOffsets.api.async(await this.#cluster.leader(info, partition, 'offsets'), -1, COMMITTED, [
        { name: topic, partitions: [{ partitionIndex: partition, currentLeaderEpoch: -1, timestamp }] },
      ]),
    );
    return topics[0]!.partitions[0]!.offset;
  }
  /** Committed records from an offset on, as soon as there is some. */
  async fetch(topic: string, partition: number, offset: bigint, bytes: number, waitMs: number): Promise<FetchedPartition> {
    const lane = this.#idle.pop() ?? `fetch ${this.#lanes++}`;
    try {
      const { responses } = await this.#led(topic, partition, lane, async (info) =>
        protocol.fetch.api.async(
          await this.#cluster.leader(info, partition, lane),
          waitMs,
          1,
          bytes,
          COMMITTED,
          0,
          -1,
          [
            {
              topicId: info.id,
              partitions: [{ partition, currentLeaderEpoch: -1, fetchOffset: offset, lastFetchedEpoch: -1, partitionMaxBytes: bytes }],
            },
          ],
          [],
          '',
        ),
      );
      return responses[0]!.partitions[0]!;
    } finally {
      this.#idle.push(lane);
    }
  }
  /** Calls with the topic as the cluster has it, and again where a leader has moved. */
  #led<T>(topic: string, partition: number, lane: string, call: (info: TopicInfo) => Promise<T>): Promise<T> {
    return retrying(async () => {
      const info = await this.#cluster.topic(topic);
      if (info === undefined) throw new Error(`the topic '${topic}' is gone from the cluster (partition ${partition}, ${lane})`);
      try {
        return await call(info);
      } catch (error) {
        if (failedAs(error, 'NOT_LEADER_OR_FOLLOWER', 'UNKNOWN_TOPIC_ID', 'NETWORK')) this.#cluster.forget(topic);
        throw error;
      }
    });
  }
}
