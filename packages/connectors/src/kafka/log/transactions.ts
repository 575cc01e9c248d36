/**
 * A commit as one Kafka transaction: records of topics, records of changelogs, offsets of the group.
 *
 * The fence of a commit is checked by the coordinator of the group, when the offsets are added (KIP-447): the member, and the
 * generation. After that the offsets are pending, and the next owner of the place waits for them before it reads where to begin.
 * A commit is answered when its control batches are written, so that every reader sees an answered commit.
 */
import { partitionName } from '@stoplog/core/kit';
import type { TopicPartition } from '@stoplog/core/port';
import * as protocol from '../client.ts';
import { producerOf, type KafkaMessage, type Transaction, type TransactionalProducer } from '../client.ts';
import { failedAs } from '../failures.ts';
import type { Cluster } from './cluster.ts';
import type { Fence } from './fence.ts';
import type { Reading } from './reading.ts';

/** How long a process that died can hold back the readers of the partitions that it was writing to. */
const TRANSACTION_MS = 10_000;
/** The size of one request; a larger record travels alone. */
const SEND_BYTES = 1 << 20;
/** The errors of the group's coordinator for a member that is not in the group, or not in this generation. */
const FENCED = ['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID', 'REBALANCE_IN_PROGRESS'];

export interface GroupOffsets {
  readonly group: string;
  readonly fence: Fence | undefined;
  readonly positions: readonly { readonly kafka: string; readonly partition: number; readonly offset: bigint }[];
}
/** The base offset of the first record of each partition, by `placeName`. */
export type BaseOffsets = ReadonlyMap<string, bigint>;

export class Transactions {
  readonly #brokers: readonly string[];
  readonly #cluster: Cluster;
  readonly #reading: Reading;
  readonly #id: string;
  #producer: TransactionalProducer | undefined;

  constructor(brokers: readonly string[], cluster: Cluster, reading: Reading, id: string) {
    this.#brokers = brokers;
    this.#cluster = cluster;
    this.#reading = reading;
    this.#id = id;
  }

  /** Commits all of it or nothing; `'fenced'` where the group's coordinator refused the member or its generation. */
  async commit(messages: readonly KafkaMessage[], offsets: GroupOffsets | undefined): Promise<BaseOffsets | 'fenced'> {
    if (messages.length === 0 && offsets === undefined) return new Map();
    const producer = (this.#producer ??= producerOf(this.#brokers, this.#id, TRANSACTION_MS));
    const transaction = await producer.beginTransaction();
    const bases = new Map<string, bigint>();
    let isBegun = false;
    try {
      for (const chunk of chunksOf(messages)) {
        isBegun = true;
        const sent = await transaction.send({ messages: chunk });
        for (const { topic, partition, offset } of sent.offsets ?? []) {
          const name = partitionName({ topic, partition });
          if (!bases.has(name)) bases.set(name, offset);
        }
      }
      if (offsets !== undefined) {
        isBegun = true;
        await this.#addOffsets(producer, offsets);
      }
      await transaction.commit();
    } catch (error) {
      await this.#abort(transaction, isBegun);
      if (offsets?.fence !== undefined && failedAs(error, ...FENCED)) return 'fenced';
      throw error;
    }
    await this.#untilVisible(messages, bases);
    return bases;
  }

  async close(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    await producer?.close();
  }

  async #addOffsets(producer: TransactionalProducer, { group, fence, positions }: GroupOffsets): Promise<void> {
    const [id, epoch] = [producer.producerId!, producer.producerEpoch!];
    await this.#cluster.coordinated('transaction', this.#id, 'commit', (connection) =>
      protocol.addOffsetsToTxn.api.async(connection, this.#id, id, epoch, group),
    );
    const topics = [...new Set(positions.map(({ kafka }) => kafka))].map((name) => ({
      name,
      partitions: positions
        .filter(({ kafka }) => kafka === name)
        .map(({ partition, offset }) => ({ partitionIndex: partition, committedOffset: offset, committedLeaderEpoch: -1, committedMetadata: '' })),
    }));
    const { generation = -1, memberId = '', instanceId = null } = fence ?? {};
    await this.#cluster.coordinated('group', group, 'commit', (connection) =>
      protocol.txnOffsetCommit.api.async(connection, this.#id, group, id, epoch, generation, memberId, instanceId, topics),
    );
  }
  /** Aborts the transaction. Where that fails the producer is closed: the next begins by aborting the transaction that this one left open. */
  async #abort(transaction: Transaction, isBegun: boolean): Promise<void> {
    try {
      await (isBegun ? transaction.abort() : transaction.cancel());
    } catch {
      await this.close();
    }
  }
  async #untilVisible(messages: readonly KafkaMessage[], bases: BaseOffsets): Promise<void> {
    const ends = new Map<string, TopicPartition & { end: bigint }>();
    for (const { topic, partition } of messages) {
      const name = partitionName({ topic, partition });
      const place = ends.get(name);
      if (place === undefined) ends.set(name, { topic, partition, end: bases.get(name)! + 1n });
      else place.end++;
    }
    await Promise.all([...ends.values()].map(({ topic, partition, end }) => this.#reading.untilVisible(topic, partition, end)));
  }
}

const chunksOf = (messages: readonly KafkaMessage[]): readonly KafkaMessage[][] => {
  const chunks: KafkaMessage[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const size = (message.key?.length ?? 0) + (message.value?.length ?? 0) + 64;
    if (bytes + size > SEND_BYTES) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)!.push(message);
    bytes += size;
  }
  return chunks;
};
