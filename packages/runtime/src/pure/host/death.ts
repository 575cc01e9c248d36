/**
 * Explains the end of a thread under an actor.
 *
 * An actor whose record was in progress has ended the thread. Other actors of the thread are its neighbours, and are restarted without a
 * limit. A thread may also run out of memory between two records, while it encodes a commit or reads records. No record is to blame
 * then, and each actor of the thread counts a failure: else all of them would be restarted for ever.
 */
import { isStoplogError, StoplogError } from '@stoplog/core';
import type { Place } from '../actor/place.ts';

export interface Death {
  readonly task: number;
  readonly partition: number;
  /** The record in progress. */
  readonly place: Place | undefined;
  /** A record of another actor was in progress in the thread. */
  readonly isNeighbour: boolean;
}

export const deathOf = ({ task, partition, place, isNeighbour }: Death, error: unknown): StoplogError => {
  const cause = error instanceof Error ? error.message : String(error);
  if (place === undefined && isStoplogError(error)) return error;
  const isMemory = OUT_OF_MEMORY.test(cause);
  if (place === undefined && isMemory && !isNeighbour)
    return new StoplogError(
      'STOPLOG_HANDLER',
      { task, partition, cause },
      `the thread of task ${task}, partition ${partition}, ran out of memory between two records (${cause}): ${MORE_MEMORY}`,
    );
  if (place === undefined)
    return new StoplogError(
      'STOPLOG_LOG_UNAVAILABLE',
      { task, partition },
      `the thread of task ${task} ended because of another actor (${cause}): the task is restarted`,
    );
  const at = `${place.topic}[${place.partition}] offset ${place.offset}`;
  return new StoplogError(
    'STOPLOG_HANDLER',
    { task, ...place, cause },
    isMemory
      ? `task ${task} ran out of memory at ${at} (${cause}). Nothing of this record was kept: ${MORE_MEMORY}`
      : `task ${task} ended its thread at ${at}: ${cause}. A handler must not exit; nothing of this record was kept`,
  );
};

/** The texts of Node: of a thread that reached its limit, and of an allocation that failed. */
const OUT_OF_MEMORY = /out of memory|memory limit|allocation failed/i;
const MORE_MEMORY = 'give the threads more with run({ heapMb }), keep smaller values in stores, or run more threads';
