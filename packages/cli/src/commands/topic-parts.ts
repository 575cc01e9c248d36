/** A topic as data for programs, with the start and end offset of each partition. */
import type { Log, TopicShape } from '@stoplog/core/port';

export const shapeData = ({ name, ...rest }: TopicShape): object => ({ topic: name, ...rest });

export interface Part {
  readonly partition: number;
  readonly start: bigint;
  readonly end: bigint;
}
export const partsOf = async (log: Log, { name, partitions }: TopicShape): Promise<readonly Part[]> => {
  const places = Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition }));
  const starts = await log.offsets(places, 'earliest');
  const ends = await log.offsets(places, 'latest');
  return places.map(({ partition }, i) => ({ partition, start: starts[i]!.offset, end: ends[i]!.offset }));
};
export const recordsIn = (parts: readonly Part[]): number => parts.reduce((sum, { start, end }) => sum + Number(end - start), 0);
