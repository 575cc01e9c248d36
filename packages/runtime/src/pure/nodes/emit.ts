/**
 * How nodes hand on: a function per node, called with one record, or with one change of a table.
 *
 * A task's nodes become functions that call each other directly; between two topics nothing is queued and nothing waits.
 */
import { StoplogError } from '@stoplog/core';
import type { AnyRecord } from './record.ts';

export type Emit = (record: AnyRecord) => void;
/** `record` is what caused the change: key, time and headers are its. */
export type EmitChange = (record: AnyRecord, before: unknown, after: unknown) => void;

/** One function that calls all; the common cases without a loop. */
export const fanOut = (emits: readonly Emit[]): Emit => {
  const [first, second] = emits;
  if (first === undefined) return () => {};
  if (second === undefined) return first;
  return (record) => {
    for (const emit of emits) emit(record);
  };
};
export const fanOutChanges = (emits: readonly EmitChange[]): EmitChange => {
  const [first, second] = emits;
  if (first === undefined) return () => {};
  if (second === undefined) return first;
  return (record, before, after) => {
    for (const emit of emits) emit(record, before, after);
  };
};

/** Verbs are synchronous: a promise in place of a value is a mistake that would be written to the log as `{}`. */
export const settled = <T>(verb: string, result: T): T => {
  if (!(result instanceof Promise)) return result;
  // Nobody else will look at it; the error below says what happened.
  result.catch(() => {});
  throw new StoplogError(
    'STOPLOG_HANDLER',
    { verb },
    `the function given to ${verb}(…) returned a promise, but verbs are synchronous: do what waits before the log, or after it, and pass a plain function`,
  );
};

/** The same for verbs that yield any number of values; nothing is `[]`, not undefined. */
export const many = <T>(verb: string, result: Iterable<T>): Iterable<T> => {
  const given: unknown = settled(verb, result);
  if (typeof given === 'string' || (typeof given === 'object' && given !== null && Symbol.iterator in given)) return result;
  throw new StoplogError(
    'STOPLOG_HANDLER',
    { verb, found: typeof given },
    `the function given to ${verb}(…) returned ${given === null || given === undefined ? String(given) : 'something that is not iterable'}: return an array or another iterable of values, [] for none`,
  );
};
