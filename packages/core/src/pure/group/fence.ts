/**
 * Whether a commit may move a position: by the epoch in which its place is held, and by nothing else.
 *
 * Not by the group's own epoch, which grows whenever anybody is given anything: then a member that comes would fence all
 * the others. A place that nobody holds is moved by nobody, but in a group that nobody ever joined.
 */
import { StoplogError } from '../errors.ts';
import { placeName, type Place } from './place.ts';

export const checkEpoch = (epoch: number, held: number | undefined, about: () => { readonly place: Place; readonly groupEpoch: number }): void => {
  if (held === epoch) return;
  const { place, groupEpoch } = about();
  if (held === undefined && groupEpoch === 0 && epoch === 0) return;
  const current = held ?? groupEpoch;
  const why = held === undefined ? `is held by nobody now (its group is in epoch ${current}` : `was given to another member (in epoch ${current}`;
  throw new StoplogError(
    'STOPLOG_FENCED',
    { topic: place.topic, partition: place.partition, epoch, current },
    `${placeName(place)} ${why}, this commit is of epoch ${epoch}): nothing of it was kept, and nothing is to be done`,
  );
};

/** A commit of a group names a position: its epoch is what fences the commit. */
export const checkMoves = (group: string, moves: readonly Place[]): void => {
  if (group !== '' && moves.length === 0)
    throw new StoplogError(
      'STOPLOG_USAGE',
      { group },
      `a commit of group '${group}' names no position: give it a move, from where the group is to the same offset if nothing moves; a source has sourcePlace(name, partition)`,
    );
};
