/** The consumer group named on the command line, and the partitions that the group reads. */
import { StoplogError } from '@stoplog/core';
import type { TopicPartition } from '@stoplog/core/port';
import type { GroupDescription } from '@stoplog/core/tools';
import { oneLine } from '@stoplog/runtime/kit';
import { suggestion } from '../text/suggest.ts';
import type { LogArgument, OpenedLog } from './log-argument.ts';

export const groupNamed = (name: string, groups: readonly GroupDescription[], { text }: LogArgument): GroupDescription => {
  const found = groups.find(({ group }) => group === name);
  if (found !== undefined) return found;
  const names = groups.map(({ group }) => group);
  const there =
    names.length === 0 ? 'it holds no groups yet' : `it holds ${names.slice(0, 12).join(', ')}${names.length > 12 ? ` and ${names.length - 12} more` : ''}`;
  throw new StoplogError(
    'STOPLOG_GROUP_UNKNOWN',
    { group: name, groups: names },
    `there is no group '${oneLine(name)}' in ${text}: ${there}.${suggestion(name, names)} A pipeline is a group, under its name, from its first run on`,
  );
};

/**
 * The topics that a group reads: the topics of its positions, and of the partitions assigned to its members. A group that is
 * still at its first record has committed no position, and has a lag all the same.
 */
export const topicsOf = ({ positions, members }: GroupDescription): ReadonlySet<string> =>
  new Set([...positions, ...members.flatMap(({ holds }) => holds)].map(({ topic }) => topic));

/** Every partition of the topics that the group reads. */
export const partitionsOf = (description: GroupDescription, { topics }: OpenedLog): readonly TopicPartition[] => {
  const names = topicsOf(description);
  return topics
    .filter(({ name }) => names.has(name))
    .flatMap(({ name, partitions }) => Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })));
};
