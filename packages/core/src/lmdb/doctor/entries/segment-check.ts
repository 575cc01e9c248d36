/**
 * Segments are adjacent from the start to the end, the active one last, and each has the bytes of its batches. Segments that
 * end at or below the start are being deleted, and are not checked.
 */
import type { Ends } from '../../layout/keyspace.ts';
import type { Segment } from '../../../pure/retention/segment.ts';
import { finding, type Finding } from '../../../pure/log/finding.ts';
import type { CheckedBatch, CheckedPlace } from './checked.ts';

export const checkSegments = (
  { topic, partition }: Pick<CheckedPlace, 'topic' | 'partition'>,
  ends: Ends,
  closed: readonly Segment[],
  batches: readonly CheckedBatch[],
): readonly Finding[] => {
  const findings: Finding[] = [];
  const report = (base: bigint, what: string): void => void findings.push(finding('segment', { table: 'segments', topic, partition, offset: base }, what));
  const segments = [...closed.filter(({ next }) => next > ends.start), ends.active];
  const [first] = segments;
  if (first!.base > ends.start && ends.start < ends.end) report(first!.base, `the first segment begins there, after the start, ${ends.start}`);
  let at = 0;
  for (const [i, segment] of segments.entries()) {
    const following = segments[i + 1];
    if (segment.next < segment.base) report(segment.base, `a segment ends at ${segment.next}, before it begins`);
    if (following !== undefined && following.base !== segment.next)
      report(segment.base, `a segment ends at ${segment.next}, and the next one begins at ${following.base}`);
    let bytes = 0;
    let maxTimestamp = -Infinity;
    while (at < batches.length && batches[at]!.base < segment.base) at++;
    for (; at < batches.length && (following === undefined || batches[at]!.base < following.base); at++) {
      bytes += batches[at]!.bytes;
      maxTimestamp = Math.max(maxTimestamp, batches[at]!.maxTimestamp);
    }
    if (bytes !== segment.bytes) report(segment.base, `the batches of a segment have ${bytes} bytes, and it says ${segment.bytes}`);
    if (maxTimestamp > segment.maxTimestamp)
      report(segment.base, `a batch of a segment has time ${maxTimestamp}, and the segment says ${segment.maxTimestamp} at most`);
  }
  return findings;
};
