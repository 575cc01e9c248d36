/**
 * Predicts when the background will have work in a partition, if nothing is appended until then.
 */
import type { Cleanup } from './cleanup.ts';
import { cleanable, type Cleanable } from './compaction.ts';
import { segmentsToForget } from './retention.ts';
import { firstTime, isEmptySegment, lastTime, notAfter, type Segment } from './segment.ts';

export interface Outlook {
  /** Bytes of closed segments that compaction has read, and has not read yet. */
  readonly cleanBytes: number;
  readonly dirtyBytes: number;
  /** Milliseconds since 1970: now, when a cleaning is due; undefined when time alone makes none due. */
  readonly dueAt: number | undefined;
}

/** `found` are the partition's segments in order, the active one last. */
export const outlookOf = (found: readonly Segment[], at: { readonly start: bigint; readonly cleanTo: bigint }, cleanup: Cleanup, now: number): Outlook => {
  // A time that was stamped by a clock that ran ahead counts as now (maintenance.ts).
  const segments = found.map((segment) => notAfter(segment, now));
  const plan: Cleanable | undefined = cleanup.compacts ? cleanable(segments, at, cleanup, now) : undefined;
  const times: number[] = [];
  if (plan?.due === true || segmentsToForget(segments, cleanup, now) > 0) times.push(now);
  const oldest = segments.find((segment) => !isEmptySegment(segment));
  // A segment is due after its time, not at it.
  if (oldest !== undefined) times.push(lastTime(oldest, cleanup) + cleanup.retentionMs + 1);
  if (plan !== undefined)
    for (const segment of segments)
      if (segment.next > plan.from && !isEmptySegment(segment)) times.push(firstTime(segment, cleanup) + cleanup.maxCompactionLagMs + 1);
  const dueAt = Math.max(now, Math.min(...times));
  return { cleanBytes: plan?.cleanBytes ?? 0, dirtyBytes: plan?.dirtyBytes ?? 0, dueAt: Number.isFinite(dueAt) ? dueAt : undefined };
};
