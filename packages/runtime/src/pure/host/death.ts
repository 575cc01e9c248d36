/**
 * Explains the end of a thread under an actor.
 *
 * An actor that was inside a record, a timer or a commit has ended the thread. Other actors of the thread are its neighbours, and are
 * restarted without a limit. A thread may also run out of memory while no actor is inside anything, as between two records. Each actor of the
 * thread then counts a failure behind its last record: else all of them would be restarted for ever.
 */
import { isStoplogError, StoplogError } from '@stoplog/core';
import type { Activity, Place } from '../actor/place.ts';
import type { Failure } from './host.ts';

export interface Death {
  readonly task: number;
  readonly partition: number;
  /** What the actor was in. */
  readonly activity: Activity | undefined;
  /** The last record of an actor that was inside nothing. */
  readonly last: Place | undefined;
  /** Another actor of the thread was inside this activity. */
  readonly culprit: { readonly task: number; readonly partition: number; readonly activity: Activity } | undefined;
}

export const deathOf = (death: Death, error: unknown): Failure => {
  const { task, partition, activity, last, culprit } = death;
  const cause = error instanceof Error ? error.message : String(error);
  const isMemory = OUT_OF_MEMORY.test(cause);
  if (activity !== undefined) {
    const { place, among } = blamed(activity);
    const at = textOf({ task, partition, activity });
    const text = isMemory
      ? `task ${task} ran out of memory ${at} (${cause}). Nothing of ${kept(activity)} was kept: ${MORE_MEMORY}`
      : `task ${task} ended its thread ${at}: ${cause}. A handler must not exit; nothing of ${kept(activity)} was kept`;
    return { error: new StoplogError('STOPLOG_HANDLER', { task, partition, ...place, among, cause }, text), place, among };
  }
  if (isStoplogError(error)) return { error, place: undefined, among: 1 };
  if (isMemory && culprit === undefined) {
    const behind = last === undefined ? '' : ` behind ${nameOf(last)}`;
    const text = `the thread of task ${task}, partition ${partition}, ran out of memory between two records${behind} (${cause}): ${MORE_MEMORY}`;
    return { error: new StoplogError('STOPLOG_HANDLER', { task, partition, ...last, among: 0, cause }, text), place: last, among: 0 };
  }
  const why = culprit === undefined ? `(${cause})` : `, task ${culprit.task} ${textOf(culprit)} (${cause})`;
  const text = `the thread of task ${task}, partition ${partition}, ended because of another actor${why}: this one is not at fault, and is restarted`;
  return { error: new StoplogError('STOPLOG_LOG_UNAVAILABLE', { task, partition, cause }, text), place: undefined, among: 1 };
};

/** The failure of an actor that hangs. */
export const hangOf = (task: number, partition: number, activity: Activity, ms: number): Failure => {
  const { place, among } = blamed(activity);
  const text = `task ${task} hangs ${textOf({ task, partition, activity })}, for ${(ms / 1000).toFixed(1)} s: its thread was ended and replaced, and nothing of ${kept(activity)} was kept`;
  return { error: new StoplogError('STOPLOG_HANDLER', { task, partition, ...place, among, forMs: Math.round(ms) }, text), place, among };
};

/** The failure of a unit of which processes died: no other try is made. */
export const endsProcesses = (task: number, place: Place, deaths: number): StoplogError =>
  new StoplogError(
    'STOPLOG_HANDLER',
    { task, ...place, deaths },
    `task ${task} has ended ${deaths} processes at ${nameOf(place)}, which it took alone: a handler ends the process, or crashes it. The record is not tried again by this program; correct the handler, and run again`,
  );

/** A timer is no record: the next incarnation takes its records as usual. */
const blamed = (activity: Activity): Pick<Failure, 'place' | 'among'> => {
  if (activity.type === 'tick') return { place: undefined, among: 0 };
  return { place: activity.place, among: activity.type === 'commit' ? activity.among : 1 };
};
const textOf = ({ partition, activity }: Pick<Death, 'task' | 'partition'> & { readonly activity: Activity }): string => {
  if (activity.type === 'tick') return `at a timer of partition ${partition}`;
  const at = activity.place === undefined ? `partition ${partition}` : nameOf(activity.place);
  return activity.type === 'record' ? `at ${at}` : `while it encoded the commit of ${activity.among} records up to ${at}`;
};
const kept = ({ type }: Activity): string => ({ record: 'this record', tick: 'what the timer did', commit: 'these records' })[type];
const nameOf = ({ topic, partition, offset }: Place): string => `${topic}[${partition}] offset ${offset}`;

/** The texts of Node: of a thread that reached its limit, and of an allocation that failed. */
const OUT_OF_MEMORY = /out of memory|memory limit|allocation failed/i;
const MORE_MEMORY = 'give the threads more with run({ heapMb }), keep smaller values in stores, or run more threads';
