/**
 * Finds the node that answers a request: the leader of a partition, the coordinator of a group, and a connection to each.
 *
 * A *lane* is a name for connections that are used together. The broker answers one connection's requests in their order, so
 * a fetch that waits must not share a connection with a commit.
 */
import * as protocol from '../client.ts';
import { connect, type Connection } from '../client.ts';
import { failedAs, retrying } from '../failures.ts';

export interface TopicInfo {
  readonly id: string;
  /** The node that leads each partition. */
  readonly leaders: readonly number[];
}
type Coordinates = 'group' | 'transaction';
const KEY_TYPE = { group: 0, transaction: 1 } as const;

export class Cluster {
  readonly #bootstrap: readonly string[];
  readonly #nodes = new Map<number, string>();
  readonly #topics = new Map<string, TopicInfo>();
  readonly #coordinators = new Map<string, string>();
  readonly #connections = new Map<string, Promise<Connection>>();
  #closed = false;

  /** `brokers` as `HOST:PORT`. */
  constructor(brokers: readonly string[]) {
    this.#bootstrap = brokers;
  }

  /** A topic as the cluster has it; undefined where it has none. */
  async topic(name: string): Promise<TopicInfo | undefined> {
    const known = this.#topics.get(name);
    if (known !== undefined) return known;
    return retrying(async () => {
      try {
        const { brokers, topics } = await protocol.metadata.api.async(await this.any(), [name], false);
        for (const { nodeId, host, port } of brokers) this.#nodes.set(nodeId, `${host}:${port}`);
        const [found] = topics;
        const partitions = [...found!.partitions].sort((a, b) => a.partitionIndex - b.partitionIndex);
        const info = { id: found!.topicId, leaders: partitions.map(({ leaderId }) => leaderId) };
        this.#topics.set(name, info);
        return info;
      } catch (error) {
        if (failedAs(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return undefined;
        throw error;
      }
    });
  }
  /** Asks again for the topic when it is used next. */
  forget(topic: string): void {
    this.#topics.delete(topic);
  }

  async leader(topic: TopicInfo, partition: number, lane: string): Promise<Connection> {
    return this.#to(this.#nodes.get(topic.leaders[partition]!)!, lane);
  }
  /** Calls the coordinator of a group or of a transactional id, found again where it has moved. */
  async coordinated<T>(kind: Coordinates, key: string, lane: string, call: (connection: Connection) => Promise<T>): Promise<T> {
    return retrying(async () => {
      const name = `${kind} ${key}`;
      let address = this.#coordinators.get(name);
      if (address === undefined) {
        const { coordinators } = await protocol.findCoordinator.api.async(await this.any(), KEY_TYPE[kind], [key]);
        const [{ host, port } = { host: '', port: 0 }] = coordinators;
        this.#coordinators.set(name, (address = `${host}:${port}`));
      }
      try {
        return await call(await this.#to(address, lane));
      } catch (error) {
        if (failedAs(error, 'NOT_COORDINATOR', 'NETWORK')) this.#coordinators.delete(name);
        throw error;
      }
    });
  }
  /** The first node that can be reached, for requests that every node answers. */
  async any(): Promise<Connection> {
    let failure: unknown;
    for (const address of this.#bootstrap) {
      try {
        return await this.#to(address, 'any');
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const open = await Promise.allSettled(this.#connections.values());
    this.#connections.clear();
    await Promise.allSettled(open.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])));
  }

  async #to(address: string, lane: string): Promise<Connection> {
    const name = `${address} ${lane}`;
    const known = this.#connections.get(name);
    if (known !== undefined && (await known).isConnected()) return known;
    if (this.#closed) throw new Error('the connections to Kafka are closed');
    const [host, port] = address.split(':');
    const fresh = connect(host!, Number(port));
    this.#connections.set(name, fresh);
    fresh.catch(() => this.#connections.delete(name));
    return fresh;
  }
}
