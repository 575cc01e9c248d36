/**
 * The condition of a conditional append: one end when all its records go to one partition, or the end of each partition.
 */
import type { NumberedAppend } from '../port/numbered-log.ts';
import { StoplogError } from '../pure/errors.ts';
import type { PackedBatch } from '../pure/topic/packer.ts';
import type { AnyTopic } from '../pure/topic/topic.ts';

export type ExpectedEnd = bigint | readonly bigint[];

/** Checks the expected ends, and returns a function that puts them on the batches of the commit. */
export const expectation = (
  { name: topic, partitions }: AnyTopic,
  expectedEnd: ExpectedEnd,
): ((packed: readonly PackedBatch[]) => readonly (PackedBatch & NumberedAppend)[]) => {
  const ends: readonly unknown[] = Array.isArray(expectedEnd) ? expectedEnd : [expectedEnd];
  if (!ends.every((end) => typeof end === 'bigint' && end >= 0n && end < 2n ** 64n) || (Array.isArray(expectedEnd) && ends.length !== partitions)) {
    throw new StoplogError(
      'STOPLOG_USAGE',
      { topic, expectedEnd },
      `expectedEnd needs a bigint such as 0n, or one for each of the ${partitions} partitions of '${topic}', as log.ends(topic) returns them`,
    );
  }
  return (packed) => {
    const found = [...new Set(packed.map(({ partition }) => partition))].sort((a, b) => a - b);
    if (typeof expectedEnd === 'bigint' && found.length > 1) {
      throw new StoplogError(
        'STOPLOG_USAGE',
        { topic, partitions: found, expectedEnd },
        `the records of this append go to the partitions ${found.join(', ')} of '${topic}', and expectedEnd is that of one: give the end of each partition, as log.ends(topic) returns them, or append records of one key. Nothing was appended`,
      );
    }
    return packed.map((batch) => ({ ...batch, expectedEnd: typeof expectedEnd === 'bigint' ? expectedEnd : expectedEnd[batch.partition]! }));
  };
};
