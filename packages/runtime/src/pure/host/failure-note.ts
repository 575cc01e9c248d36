/**
 * A note about a partition that has failed, kept in the log: `stoplog groups describe` shows the reason, whichever process it runs in.
 *
 * A note says at which offset the partition has failed. When the group has passed that offset, the note is about the past.
 */
import { isStoplogError } from '@stoplog/core';
import type { StoreWrites, TopicPartition } from '@stoplog/core/port';
import { decodeSortKey, encodeSortKey, notesPart } from '@stoplog/core/kit';
import { skipCommand } from './skip-command.ts';

export interface FailureNote {
  /** Undefined for an error that names no record. */
  readonly offset: bigint | undefined;
  readonly code: string;
  readonly message: string;
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The command that leaves out the record. */
  readonly skip: string | undefined;
}

export const noteOf = (group: string, error: Error, failures: number, at: number): FailureNote => ({
  offset: isStoplogError(error) && typeof error.facts['offset'] === 'bigint' ? error.facts['offset'] : undefined,
  code: isStoplogError(error) ? error.code : error.name,
  message: error.message,
  failures,
  at,
  skip: skipCommand(group, error),
});

const noteKey = (topic: string): Uint8Array => encodeSortKey(`${FAILURE}${topic}`);
const FAILURE = 'failure ';
/** The bounds of all notes about failures in a part of the store. */
export const NOTES: { readonly gte: Uint8Array; readonly lt: Uint8Array } = { gte: encodeSortKey(FAILURE), lt: encodeSortKey('failure!') };
export const topicIn = (key: Uint8Array): string => String(decodeSortKey(key)).slice(FAILURE.length);
export const noteWrites = (group: string, { topic, partition }: TopicPartition, note: FailureNote): StoreWrites => ({
  store: notesPart(group, partition).store,
  partition,
  keys: [noteKey(topic)],
  values: [Buffer.from(JSON.stringify({ ...note, offset: note.offset === undefined ? undefined : String(note.offset) }))],
});
export const noteIn = (bytes: Uint8Array): FailureNote => {
  const { offset, ...rest } = JSON.parse(Buffer.from(bytes).toString()) as Omit<FailureNote, 'offset'> & { readonly offset?: string };
  return { ...rest, offset: offset === undefined ? undefined : BigInt(offset) };
};
/** False when the group has passed the record since. */
export const isPresent = ({ offset }: FailureNote, position: bigint): boolean => offset === undefined || position <= offset;
