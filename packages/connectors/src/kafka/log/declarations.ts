/**
 * Declarations of topics and stores: a compacted topic of one partition, read whole and kept in memory.
 *
 * A change is compare-and-set. It begins a transaction under the log's one transactional id for declarations, which aborts and
 * fences the transaction of another process; only then reads to the end, decides, and commits. A process that is fenced
 * meanwhile begins again.
 */
import { setTimeout as after } from 'node:timers/promises';
import * as protocol from '../client.ts';
import { producerOf } from '../client.ts';
import { failedAs } from '../failures.ts';
import type { Cluster } from './cluster.ts';
import type { Reading } from './reading.ts';
import { changelogConfigs } from './pure/configs.ts';

export type Declared = ReadonlyMap<string, unknown>;
const TRANSACTION_MS = 10_000;
const ATTEMPTS = 20;
/**
 * The answers to a process that another one has fenced. A broker calls it an unexpected error when the fence comes while it ends the
 * transaction. That transaction may be committed: the next attempt reads first, and then has nothing to write.
 */
const FENCED = ['INVALID_PRODUCER_EPOCH', 'PRODUCER_FENCED', 'INVALID_TXN_STATE', 'UNKNOWN_SERVER_ERROR'];

export class Declarations {
  readonly #brokers: readonly string[];
  readonly #topic: string;
  readonly #cluster: Cluster;
  readonly #reading: Reading;
  readonly #found = new Map<string, unknown>();
  #next = 0n;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(brokers: readonly string[], topic: string, cluster: Cluster, reading: Reading) {
    this.#brokers = brokers;
    this.#topic = topic;
    this.#cluster = cluster;
    this.#reading = reading;
  }

  /** All that is declared by now. */
  read(): Promise<Declared> {
    return this.#inTurn(() => this.#read());
  }
  /** Writes the entries that `decide` returns for all declarations, unless another process changes it at the same time: then decides again. */
  change(decide: (found: Declared) => readonly (readonly [key: string, value: unknown])[]): Promise<void> {
    return this.#inTurn(async () => {
      await this.#read();
      for (let attempt = 1; !(await this.#attempt(decide)); attempt++) {
        if (attempt === ATTEMPTS) throw new Error(`the declarations of this log were changed by others ${ATTEMPTS} times in a row: try again`);
        await after(Math.random() * 20 * attempt);
      }
    });
  }

  async #attempt(decide: Parameters<Declarations['change']>[0]): Promise<boolean> {
    const producer = producerOf(this.#brokers, this.#topic, TRANSACTION_MS);
    try {
      const transaction = await producer.beginTransaction();
      const puts = decide(await this.#read());
      if (puts.length === 0) return true;
      const timestamp = BigInt(Date.now());
      await transaction.send({
        messages: puts.map(([key, value]) => ({
          topic: this.#topic,
          partition: 0,
          key: Buffer.from(key),
          value: Buffer.from(JSON.stringify(value)),
          timestamp,
          headers: new Map<Buffer, Buffer>(),
        })),
      });
      await transaction.commit();
      await this.#reading.untilVisible(this.#topic, 0, this.#next + 1n);
      return true;
    } catch (error) {
      if (failedAs(error, ...FENCED)) return false;
      throw error;
    } finally {
      await producer.close();
    }
  }
  async #read(): Promise<Declared> {
    if ((await this.#cluster.topic(this.#topic)) === undefined) await this.#make();
    for await (const { key, value } of this.#reading.records(this.#topic, 0, this.#next, (next) => (this.#next = next)))
      this.#found.set(key!.toString(), JSON.parse(value!.toString()));
    return this.#found;
  }
  async #make(): Promise<void> {
    try {
      const topic = { name: this.#topic, numPartitions: 1, replicationFactor: -1, assignments: [], configs: [...changelogConfigs()] };
      await protocol.createTopics.api.async(await this.#cluster.any(), [topic], TRANSACTION_MS, false);
    } catch (error) {
      if (!failedAs(error, 'TOPIC_ALREADY_EXISTS')) throw error;
    }
    while ((await this.#cluster.topic(this.#topic)) === undefined) await after(5);
  }
  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(call);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}
