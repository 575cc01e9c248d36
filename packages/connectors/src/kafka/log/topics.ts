/**
 * The topics of a log: the state of each in the cluster, and its declaration.
 *
 * Kafka knows a topic's partitions and cleanup; codecs, schemas and the owners of stores are records of one compacted topic, the
 * declarations. A change reads them to their end first, and no two changes may do that at the same time: each is a transaction
 * under one transactional id, and to begin one fences every other that is open (`Declarations.change`).
 */
import { StoplogError } from '@stoplog/core';
import { shapeDifference } from '@stoplog/core/kit';
import type { StorePart, TopicPartition, TopicShape } from '@stoplog/core/port';
import type { Cluster, TopicInfo } from './cluster.ts';
import { TopicMaker } from './topic-maker.ts';
import type { Declarations } from './declarations.ts';
import { changelogConfigs, configsOf } from './pure/configs.ts';
import type { Names } from './pure/names.ts';

export interface ClusterPartition {
  /** The name in the cluster. */
  readonly kafka: string;
  readonly info: TopicInfo;
  readonly partition: number;
}

export class Topics {
  readonly #cluster: Cluster;
  readonly #maker: TopicMaker;
  readonly #names: Names;
  readonly #declarations: Declarations;

  constructor(cluster: Cluster, names: Names, declarations: Declarations) {
    this.#cluster = cluster;
    this.#maker = new TopicMaker(cluster);
    this.#names = names;
    this.#declarations = declarations;
  }

  /** The location of a partition of a topic, or of a source; refused by name if it is missing. */
  async place({ topic, partition }: TopicPartition): Promise<ClusterPartition> {
    const kafka = this.#names.topic(topic);
    const info = await this.#cluster.topic(kafka);
    if (info === undefined)
      throw new StoplogError('STOPLOG_TOPIC_UNKNOWN', { topic }, `there is no topic '${topic}' in this log: append to it, or run a pipeline that declares it`);
    if (!(partition >= 0 && partition < info.leaders.length))
      throw new StoplogError(
        'STOPLOG_USAGE',
        { topic, partition, partitions: info.leaders.length },
        `topic '${topic}' has no partition ${partition}: it has ${info.leaders.length}, counted from 0`,
      );
    return { kafka, info, partition };
  }

  /**
   * Declares first, and then makes the topics: of two logs that declare a topic at once one is refused before either makes it,
   * and a topic that was declared by a log that died is made by the next one.
   */
  async ensure(shapes: readonly TopicShape[]): Promise<void> {
    const changed = this.#changed(shapes, await this.#declarations.read());
    if (changed.length > 0) {
      for (const shape of changed) await this.#checkCluster(shape);
      await this.#declarations.change((found) => this.#changed(shapes, found).map((shape) => [keyOf(shape.name), shape] as const));
    }
    for (const shape of shapes) {
      const name = this.#names.topic(shape.name);
      const isThere = (await this.#cluster.topic(name)) !== undefined;
      if (!isThere) await this.#maker.make(name, shape.partitions, configsOf(shape));
      else if (changed.includes(shape)) await this.#maker.configure(name, configsOf(shape));
    }
  }
  /** The topic without records in which the offsets of a source are kept. */
  async ensureSource({ topic, partition }: TopicPartition): Promise<void> {
    const name = this.#names.topic(topic);
    const known = await this.#cluster.topic(name);
    if (known === undefined || known.leaders.length <= partition) await this.#maker.make(name, partition + 1, []);
  }
  /** Records the owner of a store, and makes its changelog have a partition for the part. */
  async ensureStore(part: StorePart): Promise<ClusterPartition> {
    const key = `store ${part.store}`;
    const { group, version, fingerprint } = part;
    if (checkStore(part, (await this.#declarations.read()).get(key)))
      await this.#declarations.change((found) => (checkStore(part, found.get(key)) ? [[key, { group, version, fingerprint }] as const] : []));
    const kafka = this.#names.changelog(part.store);
    await this.ensureChangelog(kafka, part.partition);
    const info = await this.#cluster.topic(kafka);
    return { kafka, info: info!, partition: part.partition };
  }

  /** Makes a changelog have this partition. */
  async ensureChangelog(kafka: string, partition: number): Promise<void> {
    const known = await this.#cluster.topic(kafka);
    if (known === undefined || known.leaders.length <= partition) await this.#maker.make(kafka, partition + 1, changelogConfigs());
  }

  #changed(shapes: readonly TopicShape[], found: ReadonlyMap<string, unknown>): readonly TopicShape[] {
    const changed = shapes.filter((declared) => JSON.stringify(declared) !== JSON.stringify(found.get(keyOf(declared.name))));
    for (const declared of changed) {
      const there = found.get(keyOf(declared.name)) as TopicShape | undefined;
      const difference = there && shapeDifference(declared, there);
      if (difference !== undefined) throw new StoplogError('STOPLOG_TOPIC_SHAPE', { topic: declared.name, declared, found: there }, difference);
    }
    return changed;
  }

  /** A topic that others made in the cluster is taken as it is, if it has as many partitions. */
  async #checkCluster(declared: TopicShape): Promise<void> {
    const info = await this.#cluster.topic(this.#names.topic(declared.name));
    const difference = info && shapeDifference(declared, { ...declared, partitions: info.leaders.length });
    if (difference !== undefined) throw new StoplogError('STOPLOG_TOPIC_SHAPE', { topic: declared.name, declared, found: info!.leaders.length }, difference);
  }
}

const keyOf = (topic: string): string => `topic ${topic}`;

/** Whether no pipeline declared the store yet; refused where another pipeline or another version did. */
const checkStore = (part: StorePart, recorded: unknown): boolean => {
  if (recorded === undefined) return true;
  const made = recorded as Pick<StorePart, 'group' | 'version' | 'fingerprint'>;
  if (made.group !== part.group)
    throw new StoplogError(
      'STOPLOG_STORE_OWNER',
      { store: part.store, owner: made.group, wanted: part.group },
      `store '${part.store}' belongs to pipeline '${made.group}': give this pipeline's store a name of its own`,
    );
  if (made.version !== part.version || made.fingerprint !== part.fingerprint)
    throw new StoplogError(
      'STOPLOG_STORE_VERSION',
      { store: part.store, recorded: made.version, declared: part.version },
      `store '${part.store}' was recorded in another version or schema: declare the store under a new name`,
    );
  return false;
};
