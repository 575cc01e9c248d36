/**
 * The status of an app, as an Observable: a report per second while there is a subscriber, and no work without one.
 */
import type { Observable } from 'rxjs';
import type { Log, TopicPartition } from '@stoplog/core/port';
import { drainSeconds, ratesBetween, readLag } from '@stoplog/core/kit';
import type { PartitionCleaning } from '@stoplog/core/tools';
import type { ActorName } from '../../pure/host/app-event.ts';
import type { Progress } from '../../pure/host/mailbox.ts';
import { Drops } from '../../pure/nodes/drops.ts';
import type { Plan } from '../../pure/topology/plan.ts';
import { iterate } from './iterate.ts';
import { rxjs } from './rxjs.ts';

export interface FailedPartition {
  readonly task: number;
  readonly partition: number;
  readonly error: Error;
}
/** A partition whose actor failed, and is started again from its last commit until it works. */
export interface RetriedPartition extends FailedPartition {
  /** How often in a row it failed. */
  readonly failures: number;
}
/** Records without a key that a verb has left out. */
export interface DroppedRecords {
  readonly task: number;
  readonly verb: string;
  /** The topic in which the records were read. */
  readonly topic: string;
  readonly records: number;
}
export interface TaskStatus {
  readonly task: number;
  readonly inputs: readonly string[];
  readonly partitions: number;
  /** The partitions assigned to this process; other processes share the rest. */
  readonly holds: readonly number[];
  /** Records not yet processed, by any process. */
  readonly lag: number;
  /** Age of the oldest of them, by its timestamp; 0 when there is none. */
  readonly lagSeconds: number;
  /** Seconds until the lag is gone, if records are appended and processed at the rates since the last report; undefined: never, or not known yet. */
  readonly drainSeconds: number | undefined;
  readonly recordsInPerSecond: number;
  readonly recordsOutPerSecond: number;
}
export interface CleaningStatus {
  /** Time of the last cleaning by retention or compaction, ms since 1970; undefined: none yet. */
  readonly lastAt: number | undefined;
  /** Partitions whose cleaning failed and is retried; appends and reads continue. */
  readonly failed: readonly { readonly topic: string; readonly partition: number; readonly code: string; readonly message: string }[];
}
export interface Status {
  /** 'waiting' while all partitions are assigned to other processes. */
  readonly state: 'waiting' | 'running' | 'draining' | 'ended';
  readonly recordsInPerSecond: number;
  readonly recordsOutPerSecond: number;
  /** Records read since the app was started. */
  readonly recordsIn: number;
  readonly recordsOut: number;
  /** Records in all inputs that are not yet processed. */
  readonly lag: number;
  /** The value of the task that is furthest behind: see TaskStatus. */
  readonly lagSeconds: number;
  readonly drainSeconds: number | undefined;
  /** Durations of the commits since the last report, in ms; undefined when there were none. */
  readonly commitMs: { readonly p50: number; readonly p99: number } | undefined;
  readonly restarts: number;
  readonly failed: readonly FailedPartition[];
  /** Partitions that wait and are tried again: a sink, a source or the log is not there, or a handler failed for the first few times. */
  readonly retrying: readonly RetriedPartition[];
  /** Records without a key since the app was started: verbs with a memory, and joins, leave them out. A retried record counts again. */
  readonly dropped: readonly DroppedRecords[];
  /** Retention and compaction of this pipeline's topics, as of some seconds ago; 'stoplog topics describe' shows each partition. */
  readonly cleaning: CleaningStatus;
  readonly tasks: readonly TaskStatus[];
}

/** A report per second while there is a subscriber: an rxjs Observable, and an async iterable. A slow loop gets the latest report. */
export type StatusStream = Observable<Status> & AsyncIterable<Status>;

/** Counters that grow as records are processed; a report is the difference of two readings. */
export class Tally {
  state: Status['state'] = 'waiting';
  holds: readonly ActorName[] = [];
  restarts = 0;
  failed: readonly FailedPartition[] = [];
  retrying: readonly RetriedPartition[] = [];
  readonly byTask: Map<number, { recordsIn: number; recordsOut: number }> = new Map();
  readonly dropped: Map<number, Drops> = new Map();
  #commitMs: number[] = [];

  /** Sets the actors of this process: exactly these from now on. */
  hold(actors: readonly ActorName[]): void {
    this.holds = actors;
    if (this.state === 'running' || this.state === 'waiting') this.state = actors.length > 0 ? 'running' : 'waiting';
  }
  add({ task }: ActorName, progress: Progress): void {
    const sums = this.byTask.get(task) ?? { recordsIn: 0, recordsOut: 0 };
    this.byTask.set(task, sums);
    sums.recordsIn += progress.recordsIn;
    sums.recordsOut += progress.recordsOut;
    if (progress.dropped !== undefined && progress.dropped.length > 0) {
      const drops = this.dropped.get(task) ?? new Drops();
      this.dropped.set(task, drops);
      drops.addAll(progress.dropped);
    }
    if (this.#commitMs.length < 4096) this.#commitMs.push(...progress.commitMs);
  }
  droppedBy(task: number, verb: string, topic: string): number {
    return (this.dropped.get(task)?.all() ?? []).find((one) => one.verb === verb && one.topic === topic)?.records ?? 0;
  }
  takeCommitMs(): readonly number[] {
    return this.#commitMs.splice(0);
  }
}

const REPORT_MS = 1_000;

/** The stream of reports; it completes when the signal is aborted, before the log is closed. */
export const statusOf = (tally: Tally, plan: Plan, log: Log, cleanings: () => readonly PartitionCleaning[], ended: AbortSignal): StatusStream => {
  const { catchError, defer, EMPTY, fromEvent, interval, map, of, share, startWith, switchMap, takeUntil, throwError } = rxjs();
  const reports = defer(() => {
    let before = {
      at: performance.now(),
      byTask: new Map<number, { readonly recordsIn: number; readonly recordsOut: number }>(),
      behind: new Map<number, Behind>() as ReadonlyMap<number, Behind>,
    };
    for (const [task, sums] of tally.byTask) before.byTask.set(task, { ...sums });
    return interval(REPORT_MS).pipe(
      startWith(-1),
      switchMap(() => behindOf(plan, log)),
      map((behind): Status => {
        const at = performance.now();
        const seconds = Math.max(0.001, (at - before.at) / 1000);
        const now = new Map([...tally.byTask].map(([task, sums]) => [task, { ...sums }]));
        const tasks = plan.tasks.map(({ id, inputs, partitions }): TaskStatus => {
          const sums = now.get(id) ?? { recordsIn: 0, recordsOut: 0 };
          const last = before.byTask.get(id) ?? { recordsIn: 0, recordsOut: 0 };
          const here = behind.get(id)!;
          const { consumed, produced } = ratesBetween(before.behind.get(id) ?? here, here, seconds);
          return {
            task: id,
            inputs: inputs.map(({ topic }) => topic.name),
            partitions,
            holds: tally.holds.filter(({ task }) => task === id).map(({ partition }) => partition),
            lag: here.records,
            lagSeconds: here.age / 1000,
            drainSeconds: drainSeconds(here.records, consumed, produced),
            recordsInPerSecond: (sums.recordsIn - last.recordsIn) / seconds,
            recordsOutPerSecond: (sums.recordsOut - last.recordsOut) / seconds,
          };
        });
        before = { at, byTask: now, behind };
        const sum = (of: (task: TaskStatus) => number): number => tasks.reduce((total, task) => total + of(task), 0);
        const totals = [...now.values()];
        return {
          state: tally.state,
          recordsInPerSecond: sum((task) => task.recordsInPerSecond),
          recordsOutPerSecond: sum((task) => task.recordsOutPerSecond),
          recordsIn: totals.reduce((total, { recordsIn }) => total + recordsIn, 0),
          recordsOut: totals.reduce((total, { recordsOut }) => total + recordsOut, 0),
          lag: sum((task) => task.lag),
          lagSeconds: Math.max(0, ...tasks.map((task) => task.lagSeconds)),
          drainSeconds: tasks.some((task) => task.drainSeconds === undefined) ? undefined : Math.max(0, ...tasks.map((task) => task.drainSeconds!)),
          commitMs: percentiles(tally.takeCommitMs()),
          restarts: tally.restarts,
          failed: tally.failed,
          retrying: tally.retrying,
          dropped: [...tally.dropped].flatMap(([task, drops]) => drops.all().map((one) => ({ task, ...one }))),
          cleaning: cleaningStatus(cleanings()),
          tasks,
        };
      }),
    );
  }).pipe(
    // A report that fails because the log is being closed is no error.
    catchError((error: unknown) => (ended.aborted ? EMPTY : throwError(() => error))),
    takeUntil(ended.aborted ? of(true) : fromEvent(ended, 'abort')),
    share(),
  );
  return iterate(reports, 1);
};

export const cleaningStatus = (descriptions: readonly PartitionCleaning[]): CleaningStatus => {
  const times = descriptions.flatMap(({ last }) => (last === undefined ? [] : [last.at]));
  return {
    lastAt: times.length === 0 ? undefined : Math.max(...times),
    failed: descriptions.flatMap(({ topic, partition, failure }) =>
      failure === undefined ? [] : [{ topic, partition, code: failure.code, message: failure.message }],
    ),
  };
};

const percentiles = (ms: readonly number[]): Status['commitMs'] => {
  if (ms.length === 0) return undefined;
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return { p50: at(0.5), p99: at(0.99) };
};

/** Every partition that the tasks read. */
export const inputPartitions = (plan: Plan): readonly TopicPartition[] =>
  plan.tasks.flatMap(({ inputs, partitions }) =>
    inputs.flatMap(({ topic }) => Array.from({ length: partitions }, (_, partition) => ({ topic: topic.name, partition }))),
  );

/** Records not yet processed, by task. Positions are read before ends, so a lag of zero was zero at one moment. */
export const lagOf = async (plan: Plan, log: Log): Promise<ReadonlyMap<number, number>> => {
  const partitions = inputPartitions(plan);
  const committed = await log.committed(plan.name, partitions);
  const ends = await log.offsets(partitions, 'latest');
  const byTopic = new Map<string, number>();
  committed.forEach(({ topic, offset }, i) => byTopic.set(topic, (byTopic.get(topic) ?? 0) + Number(ends[i]!.offset - offset)));
  return new Map(plan.tasks.map(({ id, inputs }) => [id, inputs.reduce((lag, { topic }) => lag + (byTopic.get(topic.name) ?? 0), 0)]));
};

/** The lag of a task over all its partitions. */
interface Behind {
  readonly records: number;
  /** Milliseconds. */
  readonly age: number;
  readonly position: bigint;
  readonly end: bigint;
}
const NOTHING: Behind = { records: 0, age: 0, position: 0n, end: 0n };

const behindOf = async (plan: Plan, log: Log): Promise<ReadonlyMap<number, Behind>> => {
  const found = await readLag(log, plan.name, inputPartitions(plan), Date.now);
  const add = (sum: Behind, part: Behind): Behind => ({
    records: sum.records + part.records,
    age: Math.max(sum.age, part.age),
    position: sum.position + part.position,
    end: sum.end + part.end,
  });
  return new Map(plan.tasks.map(({ id, inputs }) => [id, found.filter((part) => inputs.some(({ topic }) => topic.name === part.topic)).reduce(add, NOTHING)]));
};
