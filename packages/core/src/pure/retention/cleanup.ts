/**
 * What a topic's shape says about forgetting, with every default filled in.
 *
 *   ours               Kafka's                              ours by default              Kafka's
 *   retention          retention.ms                         for ever                     7 days
 *   retentionBytes     retention.bytes, per partition       no limit                     no limit
 *   segment            segment.ms                           7 days, or ⅛ of retention    7 days
 *   segmentBytes       segment.bytes                        64 MiB                       1 GiB
 *   deleteRetention    delete.retention.ms                  24 hours                     24 hours
 *   minCompactionLag   min.compaction.lag.ms                0                            0
 *   maxCompactionLag   max.compaction.lag.ms                no limit                     no limit
 *   minDirtyRatio      min.cleanable.dirty.ratio            0.5                          0.5
 *   ageBy              message.timestamp.type               'arrival' (LogAppendTime)    CreateTime
 *
 * A segment's age is by arrival unless a topic says 'timestamp': records dated last year would be accepted and gone a
 * minute later, and one dated in microseconds would keep its segment for ever.
 */
import type { TopicShape } from '../topic/shape.ts';

export interface Cleanup {
  readonly compacts: boolean;
  readonly retentionMs: number;
  readonly retentionBytes: number;
  readonly segmentMs: number;
  readonly segmentBytes: number;
  readonly deleteRetentionMs: number;
  readonly minCompactionLagMs: number;
  readonly maxCompactionLagMs: number;
  readonly minDirtyRatio: number;
  readonly ageBy: 'arrival' | 'timestamp';
}

const DAY: number = 24 * 3_600_000;
const SHARE_OF_RETENTION = 8;

export const cleanupOf = (shape: Pick<TopicShape, 'cleanup' | 'retentionMs' | 'forgetting'>): Cleanup => {
  const { forgetting = {} } = shape;
  const retentionMs = shape.retentionMs ?? Infinity;
  const maxCompactionLagMs = forgetting.maxCompactionLagMs ?? Infinity;
  const compacts = shape.cleanup === 'compact';
  const segmentMs = forgetting.segmentMs ?? Math.min(7 * DAY, Math.max(1, Math.ceil(retentionMs / SHARE_OF_RETENTION)));
  return {
    compacts,
    retentionMs,
    retentionBytes: forgetting.retentionBytes ?? Infinity,
    // As in Kafka, a segment of a compacted topic is closed in time for the largest lag.
    segmentMs: compacts ? Math.min(segmentMs, maxCompactionLagMs) : segmentMs,
    segmentBytes: forgetting.segmentBytes ?? 64 * 1024 * 1024,
    deleteRetentionMs: forgetting.deleteRetentionMs ?? DAY,
    minCompactionLagMs: forgetting.minCompactionLagMs ?? 0,
    maxCompactionLagMs,
    minDirtyRatio: forgetting.minDirtyRatio ?? 0.5,
    ageBy: forgetting.ageBy ?? 'arrival',
  };
};
