/**
 * The links between nodes: a function per node, called with one record, or with one change of a table.
 *
 * A task's nodes become functions that call each other directly; between two topics nothing is queued and nothing waits.
 */
import type { AnyRecord } from './record.ts';

export type Emit = (record: AnyRecord) => void;
/** `record` caused the change; the change has its key, timestamp and headers. */
export type EmitChange = (record: AnyRecord, before: unknown, after: unknown) => void;

/** Makes one function that calls all of them; the common cases without a loop. */
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
