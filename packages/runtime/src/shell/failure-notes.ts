/** Writes a note into the log when a partition has failed for good, and reads the notes of a group. */
import type { Log, TopicPartition } from '@stoplog/core/port';
import { notesPart } from '@stoplog/core/kit';
import { isPresent, noteIn, noteKey, noteOf, noteWrites, type FailureNote } from '../pure/host/failure-note.ts';
import type { Held } from '../pure/host/holdings.ts';

/** The note is fenced as every commit of the unit is. The failure itself is reported elsewhere, so an error of the log here is none. */
export const writeNote = async (log: Log, group: string, { unit, epoch }: Held, error: Error, failures: number): Promise<void> => {
  try {
    const [place] = unit.places;
    if (place === undefined) return;
    await log.store(notesPart(group, place.partition), new AbortController().signal);
    const positions = (await log.committed(group, unit.places)).map(({ topic, partition, offset }) => ({ topic, partition, from: offset, to: offset }));
    const note = noteOf(group, error, failures, Date.now());
    const at = unit.places.find(({ topic }) => topic === topicOf(error)) ?? place;
    await log.commit({ group, epoch, appends: [], stores: [noteWrites(group, at, note)], positions });
  } catch {
    // The log may be the very thing that failed.
  }
};
const topicOf = (error: Error): unknown => (error as { readonly facts?: Readonly<Record<string, unknown>> }).facts?.['topic'];

/** The notes about partitions of a group that have failed and were not moved since. */
export const readNotes = async (
  log: Log,
  group: string,
  positions: readonly (TopicPartition & { readonly position: bigint })[],
): Promise<readonly (TopicPartition & { readonly note: FailureNote })[]> => {
  const found: (TopicPartition & { readonly note: FailureNote })[] = [];
  for (const { topic, partition, position } of positions) {
    const bytes = (await log.store(notesPart(group, partition), new AbortController().signal)).get(noteKey(topic));
    const note = bytes && noteIn(bytes);
    if (note !== undefined && isPresent(note, position)) found.push({ topic, partition, note });
  }
  return found;
};
