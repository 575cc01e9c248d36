/**
 * The shape of a topic: the settings that a log needs before the first record, and that cannot change after it.
 *
 * Partitions decide where a key is stored, the cleanup policy which records may be deleted, codecs how bytes are decoded: when a
 * pipeline declares other ones than the log has, one of the two is wrong. Schemas are stored for tools, and not compared: they
 * may grow while the bytes stay readable. Retention and the origin of timestamps are settings that may change at any time.
 */
import type { CodecName } from '../schema/codec.ts';
import type { Forgetting } from './topic-settings.ts';

export interface TopicShape {
  readonly name: string;
  readonly partitions: number;
  readonly cleanup: 'delete' | 'compact';
  /** The time for which records are kept at least; for ever when undefined. A compacted topic that has one follows both policies. */
  readonly retentionMs: number | undefined;
  /** The finer settings of retention and compaction; `cleanupOf` has the defaults. */
  readonly forgetting?: Forgetting | undefined;
  /** 'arrival': the log stamps each record at its append (LogAppendTime); otherwise the producer's time counts (CreateTime). */
  readonly timestamps?: 'arrival' | undefined;
  readonly keyCodec: CodecName;
  readonly valueCodec: CodecName;
  /** JSON schemas, for tools. */
  readonly keySchema: unknown;
  readonly valueSchema: unknown;
}

/** The differences as a sentence with both remedies; undefined when the declaration fits the topic in the log. */
export const shapeDifference = (declared: TopicShape, found: TopicShape): string | undefined => {
  const has: string[] = [];
  const wants: string[] = [];
  const set: string[] = [];
  const differ = (there: string, here: string, remedy: string): void => {
    has.push(there);
    wants.push(here);
    set.push(remedy);
  };
  if (declared.partitions !== found.partitions) differ(`has ${count(found.partitions)}`, String(declared.partitions), `set partitions: ${found.partitions}`);
  if (declared.cleanup !== found.cleanup) differ(`is ${KIND[found.cleanup].is}`, KIND[declared.cleanup].word, `declare it with ${KIND[found.cleanup].word}(…)`);
  for (const side of ['key', 'value'] as const) {
    const [here, there] = [declared[`${side}Codec`], found[`${side}Codec`]];
    if (here !== there) differ(`keeps each ${side} as ${there}`, `a ${side} as ${here}`, `set codec: { ${side}: '${there}' }`);
  }
  if (has.length === 0) return undefined;
  return `topic '${declared.name}' ${list(has)}, this pipeline declares ${list(wants)}: ${list(set)}, or write to a new topic`;
};

const KIND = {
  delete: { is: 'not compacted', word: 'topic' },
  compact: { is: 'compacted', word: 'compactedTopic' },
} as const;

const count = (partitions: number): string => (partitions === 1 ? '1 partition' : `${partitions} partitions`);
const list = (parts: readonly string[]): string => (parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`);
