/**
 * The shape of a topic: the settings that a log needs before the first record, and that cannot change after it.
 *
 * Partitions decide where a key is stored, the cleanup policy which records may be deleted, codecs how bytes are decoded: when a
 * pipeline declares other ones than the log has, one of the two is wrong. Schemas may change as long as a reader by the new schema
 * fits the records written by the earlier ones (`schemaDifference`). Retention and the origin of timestamps are settings that may
 * change at any time.
 */
import type { CodecName } from '../schema/codec.ts';
import { mismatchOf } from '../schema/compatible.ts';
import { describeJsonSchema } from '../schema/describe.ts';
import type { Cleaning } from './topic-settings.ts';

export interface TopicShape {
  readonly name: string;
  readonly partitions: number;
  readonly cleanup: 'delete' | 'compact';
  /** The time for which records are kept at least; for ever when undefined. A compacted topic that has one follows both policies. */
  readonly retentionMs: number | undefined;
  /** The finer settings of retention and compaction; `cleanupOf` has the defaults. */
  readonly forgetting?: Cleaning | undefined;
  /** 'arrival': the log stamps each record at its append (LogAppendTime); otherwise the producer's time counts (CreateTime). */
  readonly timestamps?: 'arrival' | undefined;
  readonly keyCodec: CodecName;
  readonly valueCodec: CodecName;
  /** JSON schemas of the records that are appended. */
  readonly keySchema: unknown;
  readonly valueSchema: unknown;
  /** JSON schemas of a schema's input, in a declaration with `reads: 'parsed'`: a field with a default may be missing. A log does not store them. */
  readonly parses?: { readonly key: unknown; readonly value: unknown } | undefined;
}

/** The JSON schemas by which the records of a topic were appended. */
export interface HeldSchemas {
  readonly key: readonly unknown[];
  readonly value: readonly unknown[];
}

/** The reason why a declaration cannot read the records of the topic, as a sentence with the remedies; undefined when it can. */
export const schemaDifference = (declared: TopicShape, held: HeldSchemas): string | undefined => {
  for (const side of ['key', 'value'] as const) {
    const read = declared.parses?.[side] ?? declared[`${side}Schema`];
    for (const written of held[side]) {
      const found = mismatchOf(read, written);
      if (found === undefined) continue;
      const place = found.path === '' ? `each ${side}` : `${found.path} of each ${side}`;
      const wrote = found.written === undefined ? 'has no such field in some records' : `was appended as ${describeJsonSchema(found.written)}`;
      return (
        `topic '${declared.name}' holds records in which ${place} ${wrote}, and this declaration reads ${describeJsonSchema(found.read)} there: ` +
        `restore the schema, widen it to a union of both or an optional field, declare a default and reads: 'parsed', or write to a new topic (docs/guides/evolving-a-schema.md)`
      );
    }
  }
  return undefined;
};
/** The schemas of a topic's records after an append by the declaration: its own, and the earlier ones that it does not cover. */
export const heldAfter = (declared: TopicShape, held: HeldSchemas): HeldSchemas => {
  const after = (side: 'key' | 'value'): readonly unknown[] => {
    const schema = declared[`${side}Schema`];
    // An empty schema replaces none of the known ones.
    if (saysNothing(schema)) return held[side];
    return [schema, ...held[side].filter((written) => mismatchOf(schema, written) !== undefined)];
  };
  return { key: after('key'), value: after('value') };
};
const saysNothing = (schema: unknown): boolean => typeof schema !== 'object' || schema === null || Object.keys(schema).length === 0;

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
