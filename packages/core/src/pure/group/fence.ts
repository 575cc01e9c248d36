/**
 * Whether a commit may move a position: by the epoch in which its place is held, and by nothing else.
 *
 * Not by the group's own epoch, which grows whenever anybody is given anything: then a member that comes would fence all
 * the others. A place that nobody holds is moved by nobody, but in a group that nobody ever joined.
 */
import { StoplogError } from '../errors.ts';
import type { Place } from './place.ts';
import { placeName } from './place.ts';

export const checkEpoch = (epoch: number, place: Place, held: number | undefined, groupEpoch: () => number): void => {
  if (held === epoch) return;
  const current = held ?? groupEpoch();
  if (held === undefined && current === 0 && epoch === 0) return;
  throw new StoplogError(
    'STOPLOG_FENCED',
    { ...place, epoch, current },
    `${placeName(place)} ${
      held === undefined ? `is held by nobody now (the group is in epoch ${current}, this commit` : `was given to another member in epoch ${current} (this commit`
    } is of epoch ${epoch}): nothing of this commit was kept, and nothing is to be done`,
  );
};

/** A commit of a group names where it stands: without that nothing fences it. */
export const checkNamesPositions = (group: string, positions: number): void => {
  if (group !== '' && positions === 0)
    throw new StoplogError(
      'STOPLOG_USAGE',
      { group },
      `a commit of group '${group}' names no position: give it a move, from where it stands to the same place if it does not move; a source has sourcePlace(name), from 0 to 0`,
    );
};

/** How long a session may be, in ms. */
export const checkSession = (sessionMs: number): void => {
  if (!(sessionMs >= 100 && sessionMs <= 3_600_000))
    throw new StoplogError('STOPLOG_USAGE', { sessionMs }, `a session of ${sessionMs} ms makes no sense: choose between 100 ms and an hour`);
};
