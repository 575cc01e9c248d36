/**
 * A pipeline in a test: send records, read what came of them. No thread, no promise, no clock but the test's own.
 *
 * `send` returns when everything that follows from the record has happened, through all tasks, partitions and the topics
 * between them. Records are parsed, encoded, partitioned by their keys' bytes and decoded again as in production; only
 * the log is memory. Each step of a task and partition is one commit; `restart` is a crash between two of them.
 *
 * @example
 * const d = drive(wordCount);
 * d.send(lines, 'l1', 'to be or not to be');
 * expect(d.store(countByWord).get('be')).toBe(2);
 */
import { type LogRecord, type Millis, type Origin, type Parses, type Source, StoplogError, type Store } from '@stoplog/core';
import { encodeKey, encodeValue, NO_HEADERS, parseKey, parseValue, RecordPacker, shapeDifference, storeOf, topicOf } from '@stoplog/core/kit';
import type { Pipeline } from '../pure/pipeline/pipeline.ts';
import { planOf, type Plan } from '../pure/topology/plan.ts';
import { DrivenActor, hasUnread, type Ground } from './driven-actor.ts';
import { DrivenPart, viewOf } from './driven-store.ts';
import { DrivenTopic } from './driven-topic.ts';
import type { DrivenStore, Driver, DriveOptions, SentRecord } from './driver.ts';

export const drive = (pipeline: Pipeline, options: DriveOptions = {}): Driver => new Drive(planOf(pipeline), options.now ?? 0);

class Drive implements Driver {
  readonly #plan: Plan;
  readonly #topics: ReadonlyMap<string, DrivenTopic>;
  readonly #parts = new Map<string, readonly DrivenPart[]>();
  readonly #grounds: readonly Ground[];
  readonly #actors = new Map<Ground, DrivenActor>();
  readonly #packers = new Map<DrivenTopic, RecordPacker>();
  readonly #reads = new Map<DrivenTopic, number>();
  #now: number;
  #doing: 'nothing' | 'batch' | 'run' = 'nothing';

  constructor(plan: Plan, now: number) {
    this.#plan = plan;
    this.#now = now;
    this.#topics = new Map(plan.topics.map((topic, i) => [topic.name, new DrivenTopic(topic, i + 1)]));
    this.#grounds = plan.tasks.flatMap((task) => {
      for (const { name } of task.stores)
        this.#parts.set(
          name,
          Array.from({ length: task.partitions }, () => new DrivenPart()),
        );
      return Array.from({ length: task.partitions }, (_, partition): Ground => ({
        pipeline: plan.name,
        task,
        partition,
        topics: this.#topics,
        now: () => this.#now,
        positions: new Map(),
        stores: new Map(task.stores.map(({ name }) => [name, this.#parts.get(name)![partition]!])),
      }));
    });
  }

  get now(): number {
    return this.#now;
  }

  send<RK, RV>(face: Parses<RK, RV>, key: RK, value: RV | null, at: number = this.#now): void {
    const topic = topicOf(face);
    const driven = this.#topic(topic);
    if (this.#doing !== 'batch') return this.batch(() => this.send(face, key, value, at));
    let packer = this.#packers.get(driven);
    if (packer === undefined) this.#packers.set(driven, (packer = new RecordPacker(topic.name, driven.topic.partitions)));
    packer.add(encodeKey(topic, parseKey(topic, key)), encodeValue(topic, parseValue(topic, value)), at);
  }
  arrive<K, V>({ name }: Source<K, V>, key: K, value: V, at: number = this.#now): void {
    const ground = this.#grounds.find(({ task }) => task.source?.name === name);
    if (ground === undefined)
      throw new StoplogError(
        'STOPLOG_USAGE',
        { source: name, pipeline: this.#plan.name },
        `pipeline '${this.#plan.name}' reads no source '${name}': drive the pipeline that does`,
      );
    this.#during('run', () => {
      this.#act(ground, (actor) => actor.arrive({ key, value, timestamp: at, headers: NO_HEADERS, offset: 0n, topic: name, partition: 0 }));
      this.#settle();
    });
  }
  batch(sends: () => void): void {
    if (this.#doing === 'batch') return sends();
    try {
      this.#during('batch', sends);
    } catch (error) {
      for (const packer of this.#packers.values()) packer.reset();
      throw error;
    }
    for (const [topic, packer] of this.#packers) for (const packed of packer.take()) topic.append(packed, this.#now);
    this.#during('run', () => this.#settle());
  }

  read<K, V>(topic: Origin<K, V>): SentRecord<K, V>[] {
    const driven = this.#topic(topic);
    const from = this.#reads.get(driven) ?? 0;
    this.#reads.set(driven, driven.batches.length);
    // The face promises what its serdes decode; so it does for `records`.
    return driven.batches.slice(from).flatMap((batch) => Array.from(driven.recordsOf(batch), ({ key, value }) => ({ key, value }) as SentRecord<K, V>));
  }
  records<K, V>(topic: Origin<K, V>): LogRecord<K, V | null>[] {
    const driven = this.#topic(topic);
    return driven.batches.flatMap((batch) => [...driven.recordsOf(batch)] as unknown as LogRecord<K, V | null>[]);
  }
  store<K, V>(face: Store<K, V>): DrivenStore<K, V> {
    const store = storeOf(face);
    const parts = this.#parts.get(store.name);
    if (parts === undefined)
      throw new StoplogError(
        'STOPLOG_USAGE',
        { store: store.name, pipeline: this.#plan.name },
        `pipeline '${this.#plan.name}' keeps no store '${store.name}': drive the pipeline that does`,
      );
    return viewOf<K, V>(store, parts);
  }

  advance(by: Millis): void {
    if (!(Number.isSafeInteger(by) && by >= 0))
      throw new StoplogError('STOPLOG_USAGE', { by }, `the clock cannot advance by ${String(by)}: pass a duration, as in advance(seconds(5))`);
    this.#now += by;
  }
  restart(): void {
    this.#during('run', () => {
      this.#actors.clear();
      this.#settle();
    });
  }

  /** Runs whoever has something to read, upstream first, until nobody has. */
  #settle(): void {
    for (let ready = this.#ready(); ready !== undefined; ready = this.#ready()) this.#act(ready, (actor) => actor.step());
  }
  #ready(): Ground | undefined {
    return this.#grounds.find(hasUnread);
  }
  #act(ground: Ground, act: (actor: DrivenActor) => void): void {
    let actor = this.#actors.get(ground);
    if (actor === undefined) this.#actors.set(ground, (actor = new DrivenActor(ground)));
    try {
      act(actor);
    } catch (error) {
      this.#actors.delete(ground);
      throw error;
    }
  }
  /** A verb that sends would be run inside itself. */
  #during(doing: 'batch' | 'run', act: () => void): void {
    if (this.#doing !== 'nothing')
      throw new StoplogError(
        'STOPLOG_USAGE',
        { pipeline: this.#plan.name },
        'the driver was used from inside a verb or a batch that does not allow it: send from the test, or return values from the verb',
      );
    this.#doing = doing;
    try {
      act();
    } finally {
      this.#doing = 'nothing';
    }
  }
  #topic(face: { readonly name: string }): DrivenTopic {
    const { name, shape } = topicOf(face);
    const driven = this.#topics.get(name);
    if (driven === undefined)
      throw new StoplogError(
        'STOPLOG_TOPIC_UNKNOWN',
        { topic: name, pipeline: this.#plan.name },
        `pipeline '${this.#plan.name}' neither reads nor writes topic '${name}': drive the pipeline that does`,
      );
    const difference = shapeDifference(shape, driven.topic.shape);
    if (difference !== undefined) throw new StoplogError('STOPLOG_TOPIC_SHAPE', { topic: name, declared: shape, found: driven.topic.shape }, difference);
    return driven;
  }
}
