/**
 * Whether a commit may move a position: by the epoch in which its place is held, and by nothing else.
 *
 * Not by the group's own epoch, which grows whenever anybody is given anything: then a member that comes would fence all
 * the others. A place that nobody holds is moved by nobody, but in a group that nobody ever joined.
 */
import { StoplogError } from '../errors.ts';
import { isSource, placeName, type Place } from './place.ts';

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

/** A commit of a group names where it stands: without that nothing fences it. A source stands where it always did. */
export const checkMoves = (group: string, moves: readonly (Place & { readonly to: bigint })[]): void => {
  if (group !== '' && moves.length === 0)
    throw new StoplogError(
      'STOPLOG_USAGE',
      { group },
      `a commit of group '${group}' names no position: give it a move, from where it stands to the same place if it does not move; a source has sourcePlace(name), from 0 to 0`,
    );
  for (const { topic, to } of moves)
    if (isSource(topic) && to !== 0n) throw new StoplogError('STOPLOG_USAGE', { topic, to }, `'${topic}' has no offsets: its move is always from 0 to 0`);
};
