/**
 * Commits, one after the other: each is checked whole, then made as one transaction.
 *
 * Kafka fences by the member and its generation, and compares no position. So continuity is checked here, just before: the
 * group's offset is read, transactions that are being ended waited for, and compared with where each move begins. Between that and
 * the commit only a member that holds the place could move it, and one log makes its commits in turn.
 */
import { StoplogError } from '@stoplog/core';
import { checkMoves, isSource, partitionName } from '@stoplog/core/kit';
import type { Append, Commit, Committed } from '@stoplog/core/port';
import type { KafkaMessage } from '../client.ts';
import type { Cluster } from './cluster.ts';
import type { Fences } from './fences.ts';
import { messagesOf } from './pure/batches.ts';
import type { Names } from './pure/names.ts';
import { committedOffsets, discontinuous } from './positions.ts';
import type { Requests } from './requests.ts';
import { closedError, notCommitted } from './refusals.ts';
import type { Stores } from './stores.ts';
import type { Topics } from './topics.ts';
import type { BaseOffsets, GroupOffsets, Transactions } from './transactions.ts';

/** On Kafka an answered commit is stored by as many nodes as the topic demands: see decision 0034. */
const DURABLE: Promise<void> = Promise.resolve();

export interface CommitParts {
  readonly cluster: Cluster;
  readonly names: Names;
  readonly topics: Topics;
  readonly stores: Stores;
  readonly fences: Fences;
  readonly requests: Requests;
  readonly transactions: Transactions;
}

export class Commits {
  readonly #parts: CommitParts;
  readonly #refused = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(parts: CommitParts) {
    this.#parts = parts;
  }

  commit(commit: Commit): Promise<Committed> {
    const turn = this.#turn.then(async () => {
      if (this.#isClosed) throw closedError();
      try {
        return await this.#commit(commit);
      } catch (error) {
        if (commit.incarnation !== undefined) this.#refused.add(commit.incarnation);
        throw notCommitted(error);
      }
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }
  /** Resolves when the commit that is being made is done: the commit is visible as a whole then. */
  async idle(): Promise<void> {
    await this.#turn;
  }
  /** Refuses the waiting commits, and ends when the current commit is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
    await this.#parts.transactions.close();
  }

  async #commit(commit: Commit): Promise<Committed> {
    const { topics, stores, fences, transactions } = this.#parts;
    checkMoves(commit.group, commit.positions);
    if (commit.incarnation !== undefined && this.#refused.has(commit.incarnation)) throw afterRefused(commit.incarnation);
    const appends = await Promise.all(commit.appends.map((append) => this.#append(append)));
    const writes = await Promise.all(commit.stores.map((one) => stores.messages(one)));
    for (const position of commit.positions) await (isSource(position.topic) ? topics.ensureSource(position) : topics.place(position));
    const messages = [...appends, ...writes].flat();
    for (;;) {
      const offsets = await this.#offsets(commit);
      const bases = await transactions.commit(messages, offsets);
      if (bases === 'fenced') {
        // The holder may be in a later generation and hold the places still; if not, the next look for a fence refuses.
        await fences.refused(offsets!.group, offsets!.fence!);
        continue;
      }
      for (const one of commit.stores) stores.committed(one);
      return { offsets: offsetsOf(appends, bases), durable: DURABLE };
    }
  }
  async #append({ topic, partition, batch }: Append): Promise<readonly KafkaMessage[]> {
    const { kafka } = await this.#parts.topics.place({ topic, partition });
    return messagesOf(batch, kafka, partition);
  }

  /** The moves of a commit as offsets of its group, fenced, from the group's position. */
  async #offsets({ group, epoch, positions }: Commit): Promise<GroupOffsets | undefined> {
    if (group === '') return undefined;
    const { cluster, names, fences, requests } = this.#parts;
    const kafkaGroup = names.group(group);
    const fence = await fences.find(kafkaGroup, epoch, positions);
    const places = positions.map(({ topic, partition }) => ({ kafka: names.topic(topic), partition }));
    const stands = await committedOffsets(cluster, kafkaGroup, places);
    for (const [i, { topic, partition, from }] of positions.entries()) {
      const start = async (): Promise<bigint> => (isSource(topic) ? 0n : smaller(from, await requests.start(names.topic(topic), partition)));
      const at = stands[i] ?? (await start());
      if (at !== from) throw discontinuous({ topic, partition }, epoch, from, at);
    }
    return { group: kafkaGroup, fence, positions: places.map((place, i) => ({ ...place, offset: positions[i]!.to })) };
  }
}

/** Each append's base offset: appends to one partition follow each other. */
const offsetsOf = (appends: readonly (readonly KafkaMessage[])[], bases: BaseOffsets): readonly bigint[] => {
  const next = new Map<string, bigint>();
  return appends.map((messages) => {
    const name = partitionName(messages[0]!);
    const base = next.get(name) ?? bases.get(name)!;
    next.set(name, base + BigInt(messages.length));
    return base;
  });
};
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const afterRefused = (incarnation: string): StoplogError =>
  new StoplogError('STOPLOG_FENCED', { incarnation }, 'an earlier commit of this actor was refused, and this one was made from it: nothing of it was kept');
