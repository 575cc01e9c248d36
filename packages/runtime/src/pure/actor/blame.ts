/** Names the record at which a handler failed. An error of the log itself is not the handler's fault. */
import { isStoplogError, StoplogError } from '@stoplog/core';
import { asError } from '@stoplog/core/kit';
import type { AnyRecord } from '../nodes/record.ts';

/** Returns true for an error that another try cannot help: a verb refuses a promise whatever the record. */
export const isFinal = (error: unknown): boolean => isStoplogError(error) && error.facts['retry'] === false;

/** `among` is more than 1 when any of that number of records up to this one may be at fault, and 0 when none was open any more. */
export const blameRecord = (error: unknown, task: number, record: AnyRecord, among = 1, isAlone = false): unknown => {
  if (isStoplogError(error) && error.code.startsWith('STOPLOG_LOG_')) return error;
  const { topic, partition, offset } = record;
  const key = keyOf(record);
  const cause = asError(error);
  const where = `${among > 1 ? `one of the ${among} records up to ` : ''}${topic}[${partition}] offset ${offset}`;
  const kept =
    among === 0
      ? 'The effects of this record were kept: correct the handler'
      : `Nothing of this record was kept; correct the handler, or the record's producer, and run again: the pipeline resumes here`;
  return new StoplogError(
    'STOPLOG_HANDLER',
    { task, topic, partition, offset, key, among, cause: cause.message, ...(isAlone && isFinal(error) ? { retry: false } : {}) },
    `task ${task} failed at ${where} (key ${show(key)}): ${cause.message}. ${kept}`,
    { cause },
  );
};

export const blameTick = (error: unknown, task: number, partition: number): unknown => {
  if (isStoplogError(error) && error.code.startsWith('STOPLOG_LOG_')) return error;
  const cause = asError(error);
  return new StoplogError(
    'STOPLOG_HANDLER',
    { task, partition, among: 0, cause: cause.message },
    `task ${task} failed at a timer of partition ${partition}: ${cause.message}. Nothing that the timer did was kept: correct the handler`,
    { cause },
  );
};

/** The key may not decode, and that may be the very failure. */
const keyOf = (record: AnyRecord): unknown => {
  try {
    return record.key;
  } catch {
    return undefined;
  }
};
const show = (key: unknown): string => (JSON.stringify(key, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)) ?? 'none').slice(0, 100);
