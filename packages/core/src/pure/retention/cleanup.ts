/**
 * A topic's settings of retention and compaction with every default filled in.
 *
 * A segment's age is by arrival unless a topic says 'timestamp': records dated last year would be accepted and gone a
 * minute later, and one dated in microseconds would keep its segment for ever.
 */
import type { Kept } from '../topic/setting.ts';
import type { TopicShape } from '../topic/shape.ts';
import { OF_COMPACTED_TOPICS, OF_EVERY_TOPIC, type EverySetting } from '../topic/topic-settings.ts';

/** Every setting under its name in the shape; Infinity where there is no limit. */
type Filled = {
  readonly [N in keyof EverySetting as EverySetting[N] extends { readonly keptIn: 'forgetting' } ? EverySetting[N]['kept'] : never]: Kept<EverySetting[N]>;
};
export interface Cleanup extends Filled {
  readonly compacts: boolean;
  readonly retentionMs: number;
}

const DEFAULTS: EverySetting = { ...OF_EVERY_TOPIC, ...OF_COMPACTED_TOPICS };
const NO_LIMIT = Infinity;
const SHARE_OF_RETENTION = 8;

export const cleanupOf = (shape: Pick<TopicShape, 'cleanup' | 'retentionMs' | 'forgetting'>): Cleanup => {
  const { forgetting = {} } = shape;
  const retentionMs = shape.retentionMs ?? NO_LIMIT;
  const maxCompactionLagMs = forgetting.maxCompactionLagMs ?? NO_LIMIT;
  const compacts = shape.cleanup === 'compact';
  const segmentMs = forgetting.segmentMs ?? Math.min(DEFAULTS.segment.default, Math.max(1, Math.ceil(retentionMs / SHARE_OF_RETENTION)));
  return {
    compacts,
    retentionMs,
    retentionBytes: forgetting.retentionBytes ?? NO_LIMIT,
    // As in Kafka, a segment of a compacted topic is closed in time for the largest lag.
    segmentMs: compacts ? Math.min(segmentMs, maxCompactionLagMs) : segmentMs,
    segmentBytes: forgetting.segmentBytes ?? DEFAULTS.segmentBytes.default,
    deleteRetentionMs: forgetting.deleteRetentionMs ?? DEFAULTS.deleteRetention.default,
    minCompactionLagMs: forgetting.minCompactionLagMs ?? DEFAULTS.minCompactionLag.default,
    maxCompactionLagMs,
    minDirtyRatio: forgetting.minDirtyRatio ?? DEFAULTS.minDirtyRatio.default,
    ageBy: forgetting.ageBy ?? DEFAULTS.ageBy.default,
  };
};
