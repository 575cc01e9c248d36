/**
 * A log on a Kafka cluster: the port's promises on order, gaps, atomicity, fencing, isolation and one owner, kept by Kafka.
 *
 * It is thin: stores are restored into memory, commits of one log are made one after the other, and each fetch that waits has a
 * connection. It has neither conditional appends nor idempotent producers of ours (decision 0037).
 * Decision 0034 lists the promises and how each is kept.
 */
import { randomUUID } from 'node:crypto';
import { checkMembership, isSource } from '@stoplog/core/kit';
import type {
  Assignment,
  Commit,
  Committed,
  Log,
  Membership,
  OffsetAt,
  Position,
  RecordBatch,
  StateStore,
  StorePart,
  TopicPartition,
  TopicShape,
} from '@stoplog/core/port';
import { Cluster } from './cluster.ts';
import { Commits } from './commits.ts';
import { Declarations } from './declarations.ts';
import { Fences } from './fences.ts';
import { Groups } from './joining.ts';
import { committedOffsets } from './positions.ts';
import { namesWith, type Names } from './pure/names.ts';
import { Partitions } from './partitions.ts';
import { Reading, type FetchLimit } from './reading.ts';
import { closedError, unavailable } from './refusals.ts';
import { Requests } from './requests.ts';
import { Stores } from './stores.ts';
import { Topics } from './topics.ts';
import { Transactions } from './transactions.ts';

export interface KafkaLogOptions {
  /** `HOST:PORT` of some of the cluster's nodes. */
  readonly brokers: readonly string[];
  /** Keeps this log apart from others in the same cluster: the names of its topics and groups begin with it. */
  readonly prefix?: string;
}

/** Opens a log on a cluster; nothing is made there before it is needed. */
export const openKafkaLog = (options: KafkaLogOptions): Log => new KafkaLog(options);

class KafkaLog implements Log {
  readonly #names: Names;
  readonly #cluster: Cluster;
  readonly #requests: Requests;
  readonly #partitions: Partitions;
  readonly #topics: Topics;
  readonly #stores: Stores;
  readonly #groups: Groups;
  readonly #commits: Commits;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor({ brokers, prefix = '' }: KafkaLogOptions) {
    const names = namesWith(prefix);
    const cluster = new Cluster(brokers);
    const requests = new Requests(cluster);
    const reading = new Reading(requests);
    const topics = new Topics(cluster, names, new Declarations(brokers, names.declarations, cluster, reading));
    const stores = new Stores(topics, reading);
    const groups = new Groups(cluster);
    const fences = new Fences(cluster, (group) => groups.of(group));
    const transactions = new Transactions(brokers, cluster, reading, `${prefix}stoplog.${randomUUID()}`);
    [this.#names, this.#cluster, this.#topics, this.#stores, this.#groups] = [names, cluster, topics, stores, groups];
    [this.#requests, this.#partitions] = [requests, new Partitions(topics, requests, reading)];
    this.#commits = new Commits({ cluster, names, topics, stores, fences, requests, transactions });
  }

  ensure(topics: readonly TopicShape[]): Promise<void> {
    return this.#ask(() => this.#topics.ensure(topics));
  }

  async *join(group: string, membership: Membership, signal: AbortSignal): AsyncGenerator<Assignment> {
    await this.#ask(async () => {
      checkMembership(membership);
      for (const place of membership.units.flat()) await (isSource(place.topic) ? this.#topics.ensureSource(place) : this.#topics.place(place));
    });
    try {
      yield* this.#groups.join(group, this.#names.group(group), membership, AbortSignal.any([signal, this.#closing.signal]));
    } catch (error) {
      throw unavailable(error);
    }
  }

  fetch(from: Position, limit: FetchLimit, signal: AbortSignal): Promise<RecordBatch> {
    return this.#ask(async () => {
      const found = await this.#partitions.fetch(from, limit, AbortSignal.any([signal, this.#closing.signal]));
      // Each partition shows a commit when its own control batch is written: this log sees its own commits as a whole.
      if (found.batches.length > 0) await this.#commits.idle();
      return found;
    });
  }

  offsets(partitions: readonly TopicPartition[], at: OffsetAt): Promise<readonly Position[]> {
    return this.#ask(() => this.#partitions.offsets(partitions, at));
  }

  committed(group: string, partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    return this.#ask(async () => {
      const places = partitions.map(({ topic, partition }) => ({ kafka: this.#names.topic(topic), partition }));
      const offsets = await committedOffsets(this.#cluster, this.#names.group(group), places);
      return Promise.all(
        partitions.map(async ({ topic, partition }, i) => {
          if (isSource(topic)) return { topic, partition, offset: offsets[i] ?? 0n };
          const { kafka } = await this.#topics.place({ topic, partition });
          return { topic, partition, offset: offsets[i] ?? (await this.#requests.start(kafka, partition)) };
        }),
      );
    });
  }

  store(part: StorePart): Promise<StateStore> {
    return this.#ask(() => this.#stores.open(part));
  }

  commit(commit: Commit): Promise<Committed> {
    return this.#ask(() => this.#commits.commit(commit));
  }

  deleteRecords(before: readonly Position[]): Promise<readonly Position[]> {
    return this.#ask(() => this.#partitions.deleteRecords(before));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#closed ??= this.#close();
    return this.#closed;
  }
  async #close(): Promise<void> {
    // Where the cluster does not answer, the members' sessions end by themselves.
    await this.#groups.close().catch(() => {});
    await this.#commits.close().catch(() => {});
    await this.#cluster[Symbol.asyncDispose]();
  }

  async #ask<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw closedError();
    try {
      return await call();
    } catch (error) {
      throw unavailable(error);
    }
  }
}
