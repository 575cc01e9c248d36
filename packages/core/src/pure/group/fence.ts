/**
 * Decides whether a commit may move a position: by the epoch in which the partition is held, and by nothing else.
 *
 * The group's own epoch would not do: it grows with every assignment, so a member that joins would fence all the others. A
 * partition that no member holds cannot be moved, except in a group that never had a member.
 */
import { StoplogError } from '../errors.ts';
import { partitionName, type GroupPartition } from './group-partition.ts';

export const checkEpoch = (epoch: number, held: number | undefined, about: () => { readonly place: GroupPartition; readonly groupEpoch: number }): void => {
  if (held === epoch) return;
  const { place, groupEpoch } = about();
  if (held === undefined && groupEpoch === 0 && epoch === 0) return;
  const current = held ?? groupEpoch;
  const why = held === undefined ? `is assigned to no member now (its group is in epoch ${current}` : `was assigned to another member (in epoch ${current}`;
  throw new StoplogError(
    'STOPLOG_FENCED',
    { topic: place.topic, partition: place.partition, epoch, current },
    `${partitionName(place)} ${why}, this commit is of epoch ${epoch}): nothing of it was kept, and nothing is to be done`,
  );
};

/** Checks that a group's commit moves a position: the epoch of that position is what fences the commit. */
export const checkMoves = (group: string, moves: readonly GroupPartition[]): void => {
  if (group !== '' && moves.length === 0)
    throw new StoplogError(
      'STOPLOG_USAGE',
      { group },
      `a commit of group '${group}' names no position: give it a move, from where the group is to the same offset if nothing moves; a source has sourcePlace(name, partition)`,
    );
};
