/**
 * An entry of `times` leads to the batch that first reached its time. So times and offsets grow together, and no batch has a
 * later time than the last entry at or before it: otherwise a search for that time would begin after it.
 */
import type { Ends } from '../../layout/keyspace.ts';
import { finding, type Finding } from '../../../pure/log/finding.ts';
import type { CheckedBatch, CheckedPlace } from './checked.ts';

export interface TimeEntry {
  readonly time: number;
  readonly base: bigint;
}

/** The time in a key of `times`: decodes `timeKey`. */
export const timeOfKey = (key: Uint8Array): number => {
  const bytes = Buffer.from(key.subarray(8, 16));
  if (bytes[0]! & 0x80) bytes[0]! &= 0x7f;
  else for (let i = 0; i < 8; i++) bytes[i] = ~bytes[i]! & 0xff;
  return bytes.readDoubleBE(0);
};

export const checkTimes = (
  { topic, partition }: Pick<CheckedPlace, 'topic' | 'partition'>,
  ends: Ends,
  times: readonly TimeEntry[],
  batches: readonly CheckedBatch[],
): readonly Finding[] => {
  const findings: Finding[] = [];
  const report = (offset: bigint, what: string): void => void findings.push(finding('time', { table: 'times', topic, partition, offset }, what));
  const there = new Set(batches.map(({ base }) => base));
  const first = batches[0]?.base ?? ends.end;
  for (const [i, { time, base }] of times.entries()) {
    const before = times[i - 1];
    if (before !== undefined && base <= before.base)
      report(base, `time ${time} leads there, and the earlier ${before.time} to ${before.base}, which is not before it`);
    if (base >= ends.end || (base >= first && !there.has(base))) report(base, `time ${time} leads there, where no batch begins`);
  }
  const last = times.at(-1);
  if (last !== undefined && last.time !== ends.maxTimestamp) report(last.base, `the last time is ${last.time}, and that of the partition ${ends.maxTimestamp}`);
  let at = 0;
  let reached = -Infinity;
  for (const { base, maxTimestamp } of batches) {
    for (; at < times.length && times[at]!.base <= base; at++) reached = Math.max(reached, times[at]!.time);
    // Batches below the start are being deleted, and so may be the entries that led to them.
    if (maxTimestamp > reached && base >= ends.start) report(base, `the batch there has time ${maxTimestamp}, and no entry leads to it or before it`);
  }
  return findings;
};
