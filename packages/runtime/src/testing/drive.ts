/**
 * A pipeline in a test: send records, read the output. There are no threads and no promises, and the clock is the test's.
 *
 * `send` returns when the record is processed through all tasks, partitions and the topics between them. The actors are those of
 * production, performed one step at a time over a log in memory. Each step of a task at a partition is one commit; `restart` is a
 * crash between two commits.
 *
 * @example
 * const d = drive(wordCount);
 * d.send(lines, 'l1', 'to be or not to be');
 * expect(d.store(countByWord).get('be')).toBe(2);
 */
import { type LogRecord, type Millis, type Origin, type Parses, type Sink, type Source, StoplogError, type Store } from '@stoplog/core';
import {
  type AnyTopic,
  encodeKey,
  encodeValue,
  LazyRecord,
  openBatch,
  parseKey,
  parseValue,
  RecordPacker,
  shapeDifference,
  storeOf,
  topicOf,
} from '@stoplog/core/kit';
import { type KeptBatch, MemoryDisk } from '@stoplog/core/testing';
import { storePart } from '../pure/actor/store-part.ts';
import type { Pipeline } from '../pure/pipeline/pipeline.ts';
import { planOf, type Plan } from '../pure/topology/plan.ts';
import { DrivenTask } from './driven-task.ts';
import type { DrivenStore, Driver, DriveOptions, SentRecord } from './driver.ts';
import { MemorySinks } from './memory-sinks.ts';
import { viewOf } from './store-view.ts';

/**
 * A pipeline in a test: `send` takes a record and processes everything that follows from it before it returns.
 *
 * @example
 * const d = drive(counting);
 * d.send(visits, '/', { browser: 'test' });
 * assert.equal(d.store(visitsByPage).get('/'), 1);
 */
export const drive = (pipeline: Pipeline, options: DriveOptions = {}): Driver => new Drive(planOf(pipeline), options.now ?? 0);

class Drive implements Driver {
  readonly #plan: Plan;
  readonly #log: MemoryDisk;
  readonly #tasks: readonly DrivenTask[];
  readonly #sinks = new MemorySinks();
  readonly #packers = new Map<AnyTopic, RecordPacker>();
  /** The number of batches read of each topic. */
  readonly #reads = new Map<string, number>();
  #now: number;
  #doing: 'nothing' | 'batch' | 'run' = 'nothing';

  constructor(plan: Plan, now: number) {
    this.#plan = plan;
    this.#now = now;
    const clock = (): number => this.#now;
    this.#log = new MemoryDisk({ holes: false, now: clock });
    this.#log.ensure(plan.topics.map(({ shape }) => shape));
    for (const { stores, partitions } of plan.tasks)
      for (const store of stores) for (let partition = 0; partition < partitions; partition++) this.#log.openStore(storePart(plan, store, partition));
    this.#tasks = plan.tasks.flatMap((task) =>
      Array.from({ length: task.partitions }, (_, partition) => new DrivenTask({ plan, task, partition }, this.#log, this.#sinks, clock)),
    );
  }

  get now(): number {
    return this.#now;
  }

  send<RK, RV>(face: Parses<RK, RV>, key: RK, value: RV | null, at: number = this.#now): void {
    const topic = topicOf(face);
    const known = this.#topic(topic);
    if (this.#doing !== 'batch') return this.batch(() => this.send(face, key, value, at));
    let packer = this.#packers.get(known);
    if (packer === undefined) this.#packers.set(known, (packer = new RecordPacker(topic.name, known.partitions)));
    packer.add(encodeKey(topic, parseKey(topic, key)), encodeValue(topic, parseValue(topic, value)), at);
  }
  arrive<K, V>({ name }: Source<K, V>, key: K, value: V, at: number = this.#now): void {
    const task = this.#tasks.find(({ ground }) => ground.task.source?.name === name);
    if (task === undefined)
      throw new StoplogError(
        'STOPLOG_USAGE',
        { source: name, pipeline: this.#plan.name },
        `pipeline '${this.#plan.name}' reads no source '${name}': drive the pipeline that does`,
      );
    this.#during('run', () => {
      task.arrive({ key, value, timestamp: at });
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
    const appends = [...this.#packers.values()].flatMap((packer) => packer.take());
    if (appends.length > 0) this.#log.commit({ group: '', epoch: 0, appends, stores: [], positions: [] });
    this.#during('run', () => this.#settle());
  }

  read<K, V>(face: Origin<K, V>): SentRecord<K, V>[] {
    const topic = this.#topic(face);
    const batches = this.#batchesOf(topic);
    const from = this.#reads.get(topic.name) ?? 0;
    this.#reads.set(topic.name, batches.length);
    // The declared types of a topic are the types that its serdes decode; the same holds for `records`.
    return batches.slice(from).flatMap((batch) => Array.from(recordsIn(topic, batch), ({ key, value }) => ({ key, value }) as SentRecord<K, V>));
  }
  records<K, V>(face: Origin<K, V>): LogRecord<K, V | null>[] {
    const topic = this.#topic(face);
    return this.#batchesOf(topic).flatMap((batch) => [...recordsIn(topic, batch)] as unknown as LogRecord<K, V | null>[]);
  }
  written<K, V>(sink: Sink<K, V>): SentRecord<K, V>[] {
    if (this.#plan.tasks.some(({ sinks }) => sinks.some(({ name }) => name === sink.name))) return this.#sinks.written(sink);
    throw new StoplogError(
      'STOPLOG_USAGE',
      { sink: sink.name, pipeline: this.#plan.name },
      `pipeline '${this.#plan.name}' writes to no sink '${sink.name}': drive the pipeline that does`,
    );
  }
  store<K, V>(face: Store<K, V>): DrivenStore<K, V> {
    const store = storeOf(face);
    const task = this.#plan.tasks.find(({ stores }) => stores.some(({ name }) => name === store.name));
    if (task === undefined)
      throw new StoplogError(
        'STOPLOG_USAGE',
        { store: store.name, pipeline: this.#plan.name },
        `pipeline '${this.#plan.name}' keeps no store '${store.name}': drive the pipeline that does`,
      );
    return viewOf<K, V>(
      store,
      Array.from({ length: task.partitions }, (_, partition) => this.#log.part(store.name, partition)),
    );
  }

  advance(by: Millis): void {
    if (!(Number.isSafeInteger(by) && by >= 0))
      throw new StoplogError('STOPLOG_USAGE', { by }, `the clock cannot advance by ${String(by)}: pass a duration, as in advance(seconds(5))`);
    const until = this.#now + by;
    this.#during('run', () => {
      for (const task of this.#tasks) task.start();
      // The clock stops in order at each time that a verb asked for.
      for (let next = this.#nextWake(); next <= until; next = this.#nextWake()) {
        this.#now = Math.max(this.#now, next);
        this.#settle();
      }
      this.#now = until;
    });
  }
  restart(): void {
    this.#during('run', () => {
      for (const task of this.#tasks) task.restart();
      this.#settle();
    });
  }

  /** Runs each task that has work, upstream first, until none has. */
  #settle(): void {
    for (let ready = this.#ready(); ready !== undefined; ready = this.#ready()) ready.run();
  }
  #ready(): DrivenTask | undefined {
    return this.#tasks.find(({ isReady }) => isReady);
  }
  #nextWake(): number {
    return Math.min(...this.#tasks.map(({ wakeAt }) => wakeAt));
  }
  /** The batches of a topic in the order in which they were appended, over all partitions. */
  #batchesOf({ name }: AnyTopic): readonly KeptBatch[] {
    return this.#log
      .topic(name)
      .partitions.flatMap(({ batches }) => batches)
      .toSorted((a, b) => a.order - b.order);
  }
  /** Refuses a verb that sends, because the verb would run inside itself. */
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
  #topic(face: { readonly name: string }): AnyTopic {
    const { name, shape } = topicOf(face);
    const topic = this.#plan.topics.find((one) => one.name === name);
    if (topic === undefined)
      throw new StoplogError(
        'STOPLOG_TOPIC_UNKNOWN',
        { topic: name, pipeline: this.#plan.name },
        `pipeline '${this.#plan.name}' neither reads nor writes topic '${name}': drive the pipeline that does`,
      );
    const difference = shapeDifference(shape, topic.shape);
    if (difference !== undefined) throw new StoplogError('STOPLOG_TOPIC_SHAPE', { topic: name, declared: shape, found: topic.shape }, difference);
    return topic;
  }
}

/** Yields the records of a batch; each call has its own cursor. */
function* recordsIn({ name, keySerde, valueSerde }: AnyTopic, { bytes }: KeptBatch): Generator<LazyRecord, undefined> {
  const view = openBatch(bytes);
  while (view.next()) yield new LazyRecord(view, keySerde, valueSerde, name);
}
