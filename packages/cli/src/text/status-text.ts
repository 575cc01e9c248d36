/** The status of an app, in one line for people and one for programs. */
import { isStoplogError } from '@stoplog/core';
import { grouped, secondsText } from '@stoplog/runtime/kit';
import { drainText } from './duration-text.ts';
import { jsonText } from './json-text.ts';

interface FailedPartition {
  readonly task: number;
  readonly partition: number;
  readonly error: Error;
}
/** The part of a status that is shown (shell/status/status.ts has more). */
export interface Glance {
  readonly state: 'waiting' | 'running' | 'draining' | 'ended';
  readonly recordsInPerSecond: number;
  readonly recordsOutPerSecond: number;
  readonly lag: number;
  readonly lagSeconds: number;
  readonly drainSeconds: number | undefined;
  readonly commitMs: { readonly p50: number; readonly p99: number } | undefined;
  readonly restarts: number;
  readonly tasks?: readonly { readonly drainSeconds: number | undefined; readonly partitions: number; readonly holds: readonly number[] }[];
  readonly failed: readonly FailedPartition[];
  readonly retrying?: readonly (FailedPartition & { readonly failures: number })[];
  readonly cleaning?: { readonly lastAt: number | undefined; readonly failed: readonly unknown[] };
}

/** `5 of 11 actors here`, while other processes have the rest. */
const shareText = ({ tasks = [] }: Glance): readonly string[] => {
  const [held, all] = [tasks.reduce((sum, { holds }) => sum + holds.length, 0), tasks.reduce((sum, { partitions }) => sum + partitions, 0)];
  return held === 0 || held === all ? [] : [`${held} of ${all} actors here`];
};

/** `in 48 102/s   out 8 310/s   lag 0   commit p50 1.2ms p99 6ms` */
export const statusLine = (status: Glance): string =>
  [
    ...(status.state === 'running' ? [] : [status.state]),
    ...shareText(status),
    `in ${grouped(status.recordsInPerSecond)}/s`,
    `out ${grouped(status.recordsOutPerSecond)}/s`,
    status.lag === 0 ? 'lag 0' : `lag ${grouped(status.lag)}, ${secondsText(status.lagSeconds)} old, drains ${drainText(status.drainSeconds)}`,
    status.commitMs === undefined ? 'commit –' : `commit p50 ${millis(status.commitMs.p50)} p99 ${millis(status.commitMs.p99)}`,
    ...(status.restarts === 0 ? [] : [`restarts ${status.restarts}`]),
    ...((status.retrying?.length ?? 0) === 0 ? [] : [`retrying ${status.retrying!.length}`]),
    ...(status.failed.length === 0 ? [] : [`failed ${status.failed.length}`]),
    ...((status.cleaning?.failed.length ?? 0) === 0 ? [] : [`cleaning failed ${status.cleaning!.failed.length}`]),
  ].join('   ');

export const statusJson = (status: Glance, time: string): string =>
  jsonText({
    time,
    ...status,
    drainSeconds: status.drainSeconds ?? null,
    tasks: status.tasks?.map((task) => ({ ...task, drainSeconds: task.drainSeconds ?? null })),
    commitMs: status.commitMs ?? null,
    cleaning: status.cleaning && { ...status.cleaning, lastAt: status.cleaning.lastAt ?? null },
    failed: status.failed.map(failureJson),
    retrying: status.retrying?.map((one) => ({ ...failureJson(one), failures: one.failures })),
  });

const failureJson = ({ task, partition, error }: FailedPartition): object => ({
  task,
  partition,
  code: isStoplogError(error) ? error.code : error.name,
  message: error.message,
});
const millis = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)}ms`;
