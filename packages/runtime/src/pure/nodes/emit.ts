/**
 * How nodes hand on: a function per node, called with one record, or with one change of a table.
 *
 * A task's nodes become functions that call each other directly; between two topics nothing is queued and nothing waits.
 */
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
