/** Writes a note into the log when a partition has failed for good, and reads the notes of a group. */
import type { Log, TopicPartition } from '@stoplog/core/port';
import { notesPart } from '@stoplog/core/kit';
import { isPresent, noteIn, NOTES, noteOf, noteWrites, topicIn, type FailureNote } from '../pure/host/failure-note.ts';
import type { Held } from '../pure/host/holdings.ts';
import { commitNotes } from './notes.ts';

/** The note is fenced as every commit of the unit is. The failure itself is reported elsewhere, so an error of the log here is none. */
export const writeNote = async (log: Log, group: string, { unit, epoch }: Held, error: Error, failures: number): Promise<void> => {
  try {
    const [place] = unit.places;
    if (place === undefined) return;
    const note = noteOf(group, error, failures, Date.now());
    const at = unit.places.find(({ topic }) => topic === topicOf(error)) ?? place;
    await commitNotes(log, group, epoch, [unit], [noteWrites(group, at, note)]);
  } catch {
    // The log may be the very thing that failed.
  }
};
const topicOf = (error: Error): unknown => (error as { readonly facts?: Readonly<Record<string, unknown>> }).facts?.['topic'];

/** The notes about partitions of a group that have failed and were not moved since. `partitions`: the most that a topic of the group has. */
export const readNotes = async (log: Log, group: string, partitions: number): Promise<readonly (TopicPartition & { readonly note: FailureNote })[]> => {
  const found: (TopicPartition & { readonly note: FailureNote })[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    const part = await log.store(notesPart(group, partition), new AbortController().signal);
    for (const [key, bytes] of part.range(NOTES, Infinity)) {
      const place = { topic: topicIn(key), partition };
      const note = noteIn(bytes);
      const [position] = await log.committed(group, [place]);
      if (isPresent(note, position!.offset)) found.push({ ...place, note });
    }
  }
  return found;
};
