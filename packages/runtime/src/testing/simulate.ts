/**
 * A pipeline under all kinds of faults, in one thread, by a seed: several processes that share the partitions, join, leave and stand
 * still, actors that are killed between any two steps, commits that are delayed, power cuts that lose unflushed commits.
 *
 * The code is that of production: the task's functions, its stores, outputs and commits, the coordinator of the group and
 * supervision. Only threads, the disk and the clock are simulated. The same seed repeats the same steps.
 *
 * @example
 * for (const seed of seeds(100)) simulate(wordCount, { seed, inputs: [{ topic: lines, records: [{ key: 'l1', value: 'to be or not to be' }] }] });
 */
import { type Origin, type Parses, type Sink, StoplogError, type Store } from '@stoplog/core';
import { topicOf } from '@stoplog/core/kit';
import { MemoryDisk } from '@stoplog/core/testing';
import type { Pipeline } from '../pure/pipeline/pipeline.ts';
import { planOf, type Plan } from '../pure/topology/plan.ts';
import { drive } from './drive.ts';
import type { DrivenStore, Driver, SentRecord } from './driver.ts';
import type { Feed } from './simulated-feeder.ts';
import { Outcome } from './simulated-outcome.ts';
import type { Counters } from './simulation-counters.ts';
import { SimulationFailed } from './simulation-failed.ts';
import type { Faults } from './simulation-faults.ts';
import { Simulation, type MakeLog } from './simulation.ts';

/** An input record for a topic `T`. */
export type SimulatedRecord<T> = T extends Parses<infer K, infer V> ? { readonly key: K; readonly value: V | null; readonly timestamp?: number } : never;

/** The input of one topic. */
export interface SimulatedInput<T> {
  readonly topic: T;
  /** The records in their order. Records without a timestamp are dated 0, 1, 2 … ms, over all inputs. */
  readonly records: readonly SimulatedRecord<T>[];
  /** True: the records arrive when all earlier inputs have been processed; otherwise inputs arrive side by side. */
  readonly waits?: boolean;
}

export interface SimulateOptions<T extends readonly Parses<never, never>[]> {
  /** A whole number that determines all steps. */
  readonly seed: number;
  readonly inputs: readonly [...{ readonly [I in keyof T]: SimulatedInput<T[I]> }];
  /** The relative frequency of each fault; 0 is never. Frequencies left out are drawn by the seed. */
  readonly faults?: Faults;
  /**
   * True: the outcome may depend on which of two topics, or partitions, is read first, so it is not compared with that of `drive`.
   * Everything else is still checked.
   */
  readonly orderMatters?: boolean;
}

export interface Simulated {
  /** All records of a topic, partition by partition. */
  read<K, V>(topic: Origin<K, V>): SentRecord<K, V>[];
  store<K, V>(store: Store<K, V>): DrivenStore<K, V>;
  /** Everything that was written to a sink, in order. */
  written<K, V>(sink: Sink<K, V>): SentRecord<K, V>[];
  /** Every step, as a line. */
  readonly history: readonly string[];
  /** The number of times that each event occurred. Over all seeds of a test, none should be 0. */
  readonly counters: Counters;
}

/**
 * Runs the pipeline over the inputs to the end; throws `SimulationFailed` when a record is lost, doubled, torn or out of order, when
 * there is no progress, or when a function is not deterministic. Sources are not opened: pass their records as inputs of the topic
 * to which they go.
 *
 * @example
 * for (const seed of seeds(20)) simulate(shop, { seed, inputs: [{ topic: orders, records: [{ key: 'o1', value: { cents: 5 } }] }] });
 */
export const simulate = <const T extends readonly Parses<never, never>[]>(pipeline: Pipeline, options: SimulateOptions<T>): Simulated =>
  simulateOn(pipeline, options, (log) => new MemoryDisk(log));

/** `simulate` on another log, such as one that breaks a promise. */
export const simulateOn = <const T extends readonly Parses<never, never>[]>(pipeline: Pipeline, options: SimulateOptions<T>, makeLog: MakeLog): Simulated => {
  const { seed, faults = {} } = options;
  if (!Number.isSafeInteger(seed))
    throw new StoplogError('STOPLOG_USAGE', { seed }, `the seed ${String(seed)} is no whole number: pass one, as in seeds(1_000)`);
  const plan = planOf(pipeline);
  const feeds = feedsOf(plan, options.inputs);
  // A pipeline that fails without faults throws here.
  const driven = driveOf(pipeline, feeds);
  const simulation = new Simulation(seed, plan, feeds, faults, makeLog);
  const { history, counters } = simulation;
  const outcome = new Outcome(plan, simulation.log, simulation.sinks);
  try {
    simulation.run();
  } catch (error) {
    throw new SimulationFailed(seed, error instanceof Error ? error.message : String(error), history, counters, error);
  }
  const difference = options.orderMatters === true ? undefined : outcome.differenceFrom(driven);
  if (difference !== undefined)
    throw new SimulationFailed(
      seed,
      `the outcome differs from drive's: ${difference}. Every single step was right, so the outcome depends on the order of arrival. If it may, pass orderMatters: true; if one input must be complete before another (a table before the stream that is joined with it), give the other waits: true`,
      history,
      counters,
      undefined,
    );
  return { read: (topic) => outcome.read(topic), store: (store) => outcome.store(store), written: (sink) => outcome.written(sink), history, counters };
};

const feedsOf = (plan: Plan, inputs: readonly SimulatedInput<unknown>[]): readonly Feed[] => {
  let dated = 0;
  return inputs.map(({ topic: face, records, waits = false }) => {
    const { name } = topicOf(face as { readonly name: string });
    const topic = plan.topics.find((one) => one.name === name);
    if (topic === undefined)
      throw new StoplogError(
        'STOPLOG_TOPIC_UNKNOWN',
        { topic: name, pipeline: plan.name },
        `pipeline '${plan.name}' neither reads nor writes topic '${name}': give inputs of topics it reads`,
      );
    return {
      topic,
      waits,
      records: records.map((record: SimulatedRecord<Parses<unknown, unknown>>) => ({
        key: record.key,
        value: record.value,
        timestamp: record.timestamp ?? dated++,
      })),
    };
  });
};

/** Drives the pipeline over the same inputs, without faults. */
const driveOf = (pipeline: Pipeline, feeds: readonly Feed[]): Driver => {
  const driven = drive(pipeline);
  const phases: Feed[][] = [];
  for (const feed of feeds) {
    if (feed.waits || phases.length === 0) phases.push([feed]);
    else phases.at(-1)!.push(feed);
  }
  for (const phase of phases) {
    driven.batch(() => {
      for (const { topic, records } of phase) for (const { key, value, timestamp } of records) driven.send(topic, key, value, timestamp);
    });
  }
  return driven;
};
