/**
 * The shape of a topic is what a log must know of it before the first record, and what cannot change after it.
 *
 * Partitions decide where a key lies, cleanup what may be forgotten, codecs what the bytes mean: where a pipeline
 * declares other ones than the log has, both cannot be right. Schemas are kept for tools, and not compared: they may
 * grow while the bytes stay readable. Retention and whose clock stamps are settings that may change at any time.
 */
import type { CodecName } from '../schema/codec.ts';
import type { Forgetting } from './topic-settings.ts';

export interface TopicShape {
  readonly name: string;
  readonly partitions: number;
  readonly cleanup: 'delete' | 'compact';
  /** How long records are kept at least; for ever when undefined. Of a compacted topic: both policies. */
  readonly retentionMs: number | undefined;
  /** The finer settings of forgetting; `cleanupOf` has the defaults. */
  readonly forgetting?: Forgetting | undefined;
  /** 'arrival': the log stamps each record as it takes it in; the producer's times otherwise. */
  readonly timestamps?: 'arrival' | undefined;
  readonly keyCodec: CodecName;
  readonly valueCodec: CodecName;
  /** JSON schemas, for tools. */
  readonly keySchema: unknown;
  readonly valueSchema: unknown;
}

/** What differs, as a sentence with both ways out; undefined when the declaration fits what is there. */
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
