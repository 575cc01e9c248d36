/**
 * Makes topics and partitions in the cluster, and waits until every node knows them.
 */
import * as protocol from '../client.ts';
import { failedAs, retrying } from '../failures.ts';
import type { Cluster } from './cluster.ts';

const CREATE_MS = 30_000;
const SET = 0;
const TOPIC_RESOURCE = 2;
type Config = { readonly name: string; readonly value: string };

export class TopicMaker {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Makes a topic of at least this number of partitions, and waits until the cluster knows it. */
  async make(name: string, partitions: number, configs: readonly Config[]): Promise<void> {
    const any = await this.#cluster.any();
    const topic = { name, numPartitions: partitions, replicationFactor: -1, assignments: [], configs: [...configs] };
    const made = protocol.createTopics.api.async(any, [topic], CREATE_MS, false);
    if (!(await failsAs(made, 'TOPIC_ALREADY_EXISTS'))) return this.#untilKnown(name, partitions);
    this.#cluster.forget(name);
    await this.#untilKnown(name, 1);
    if ((await this.#cluster.topic(name))!.leaders.length >= partitions) return;
    await failsAs(protocol.createPartitions.api.async(any, [{ name, count: partitions, assignments: null }], CREATE_MS, false), 'INVALID_PARTITIONS');
    await this.#untilKnown(name, partitions);
  }
  async configure(name: string, configs: readonly Config[]): Promise<void> {
    const set = configs.map(({ name: config, value }) => ({ name: config, value, configOperation: SET }) as const);
    const resource = { resourceType: TOPIC_RESOURCE, resourceName: name, configs: set } as const;
    await protocol.incrementalAlterConfigs.api.async(await this.#cluster.any(), [resource], false);
  }
  #untilKnown(name: string, partitions: number): Promise<void> {
    return retrying(async () => {
      this.#cluster.forget(name);
      const found = await this.#cluster.topic(name);
      if (found === undefined || found.leaders.length < partitions || found.leaders.some((leader) => leader < 0)) throw NOT_YET;
    });
  }
}

/** Whether a call failed in the way that it may; other errors are thrown. */
const failsAs = async (call: Promise<unknown>, name: string): Promise<boolean> => {
  try {
    await call;
    return false;
  } catch (error) {
    if (failedAs(error, name)) return true;
    throw error;
  }
};

/** As the client reports a topic whose leaders are still being chosen. */
const NOT_YET = Object.assign(new Error('the topic is not known to the whole cluster yet'), { apiId: 'LEADER_NOT_AVAILABLE' });
