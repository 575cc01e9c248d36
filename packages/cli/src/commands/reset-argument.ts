/** The target of a reset and the partitions that it moves, from the command line. */
import { StoplogError } from '@stoplog/core';
import type { TopicPartition, TopicShape } from '@stoplog/core/port';
import { type GroupDescription, parsePositions, type ResetPlace, type ResetTarget } from '@stoplog/core/tools';
import { oneLine, sizeText } from '@stoplog/runtime/kit';
import { durationIn } from '../text/duration-text.ts';
import type { Arguments } from './arguments.ts';
import { groupNamed, partitionsOf } from './group-argument.ts';
import { type LogArgument, type OpenedLog, topicNamed } from './log-argument.ts';
import { readWithin } from './read-within.ts';
import { timeIn } from './time-argument.ts';

export const TARGETS = {
  'to-earliest': 'flag',
  'to-latest': 'flag',
  'to-current': 'flag',
  'to-offset': 'text',
  'to-datetime': 'text',
  'by-duration': 'text',
  'shift-by': 'text',
  'from-file': 'text',
} as const;

export const targetIn = (given: Arguments, now: number): ResetTarget => {
  const names = Object.keys(TARGETS);
  const chosen = names.filter((name) => given.flag(name) || given.text(name) !== undefined);
  const [name, ...more] = chosen;
  if (name === undefined || more.length > 0) {
    const what = name === undefined ? 'a reset needs to know where to' : `--${chosen.join(' and --')} exclude each other`;
    throw new StoplogError('STOPLOG_USAGE', { chosen }, `${what}: give exactly one of --${names.join(', --')}. See 'stoplog groups reset --help'.`);
  }
  const text = given.text(name) ?? '';
  switch (name) {
    case 'to-earliest':
    case 'to-latest':
    case 'to-current':
      return { to: name.slice('to-'.length) as 'earliest' | 'latest' | 'current' };
    case 'to-offset':
      return { to: 'offset', offset: wholeIn(text, name, /^\d{1,19}$/) };
    case 'shift-by':
      return { to: 'shift', by: wholeIn(text, name, /^[+-]?\d{1,19}$/) };
    case 'to-datetime':
      return { to: 'time', time: timeIn(text, name) };
    case 'by-duration':
      return { to: 'time', time: now - durationIn(text, name) };
    default:
      return { to: 'positions', positions: parsePositions(readText(text)) };
  }
};

const wholeIn = (text: string, option: string, form: RegExp): bigint => {
  if (form.test(text)) return BigInt(text.replace('+', ''));
  throw new StoplogError(
    'STOPLOG_USAGE',
    { [option]: text },
    `--${option} '${oneLine(text)}' is no whole number${option === 'to-offset' ? ' from 0 on' : ', such as 100 or --shift-by=-100'}`,
  );
};
/** Room for a million lines. */
const POSITIONS_BYTES_MAX = 64 * 1024 * 1024;

const readText = (path: string): string => {
  const remedy = "give a file of lines topic,partition,offset, as 'stoplog groups export' prints them";
  let text: string | undefined;
  try {
    text = readWithin(path, POSITIONS_BYTES_MAX);
  } catch (error) {
    throw new StoplogError('STOPLOG_USAGE', { path }, `${oneLine(path)} cannot be read (${(error as Error).message}): ${remedy}`, { cause: error });
  }
  if (text !== undefined) return text;
  throw new StoplogError('STOPLOG_USAGE', { path, limit: POSITIONS_BYTES_MAX }, `${oneLine(path)} holds more than ${sizeText(POSITIONS_BYTES_MAX)}: ${remedy}`);
};

/** For each partition to move, the position and the offsets that the plan needs. */
export const placesOf = async (
  given: Arguments,
  target: ResetTarget,
  groups: readonly GroupDescription[],
  opened: OpenedLog,
  argument: LogArgument,
): Promise<readonly ResetPlace[]> => {
  const { log } = opened;
  const partitions = chosenPartitions(given, target, groups, opened, argument);
  const stands = new Map(
    groups.find(({ group }) => group === given.operands[0])?.positions.map(({ topic, partition, offset }) => [`${partition}:${topic}`, offset]),
  );
  const starts = await log.offsets(partitions, 'earliest');
  const ends = await log.offsets(partitions, 'latest');
  const times = target.to === 'time' ? await log.offsets(partitions, { time: target.time }) : undefined;
  return partitions.map(({ topic, partition }, i) => ({
    topic,
    partition,
    stands: stands.get(`${partition}:${topic}`),
    start: starts[i]!.offset,
    end: ends[i]!.offset,
    atTime: times?.[i]!.offset,
  }));
};

const chosenPartitions = (
  given: Arguments,
  target: ResetTarget,
  groups: readonly GroupDescription[],
  opened: OpenedLog,
  argument: LogArgument,
): readonly TopicPartition[] => {
  const named = namesIn(given.text('topic')) ?? (target.to === 'positions' ? [...new Set(target.positions.map(({ topic }) => topic))] : undefined);
  const partition = given.number('partition', 0);
  if (named === undefined) {
    if (partition !== undefined) throw new StoplogError('STOPLOG_USAGE', { partition }, '--partition is one of a topic: add --topic T');
    const description = groupNamed(given.operands[0]!, groups, argument);
    const found = partitionsOf(description, opened);
    if (found.length > 0) return found;
    throw new StoplogError(
      'STOPLOG_USAGE',
      { group: description.group },
      `group '${description.group}' has committed no position yet, so it does not say which topics it reads: name them with --topic T,…`,
    );
  }
  const shapes = named.map((name) => topicNamed(name, opened.topics, argument, "'stoplog topics' lists them."));
  if (partition === undefined) return shapes.flatMap(everyPartition);
  const [shape, ...others] = shapes;
  if (shape === undefined || others.length > 0)
    throw new StoplogError('STOPLOG_USAGE', { partition }, '--partition is one of a topic: name one topic with --topic T');
  if (partition >= shape.partitions)
    throw new StoplogError(
      'STOPLOG_USAGE',
      { topic: shape.name, partition, partitions: shape.partitions },
      `topic '${shape.name}' has no partition ${partition}: it has ${shape.partitions}, counted from 0`,
    );
  return [{ topic: shape.name, partition }];
};
const namesIn = (text: string | undefined): readonly string[] | undefined => (text === undefined ? undefined : [...new Set(text.split(','))]);
const everyPartition = ({ name, partitions }: TopicShape): readonly TopicPartition[] =>
  Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition }));
