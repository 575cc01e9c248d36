/**
 * The shape of a topic is what a log must know of it before the first record, and what cannot change after it.
 *
 * Partitions decide where a key lies, cleanup what may be forgotten, codecs what the bytes mean: where a pipeline
 * declares other ones than the log has, both cannot be right. Schemas may change as long as a reader by the new one fits
 * what was written by those before (`schemaDifference`). Retention and whose clock stamps are settings that may change at any time.
 */
import type { CodecName } from '../schema/codec.ts';
import { mismatchOf } from '../schema/compatible.ts';
import { describeJsonSchema } from '../schema/describe.ts';
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
  /** JSON schemas of what is appended. */
  readonly keySchema: unknown;
  readonly valueSchema: unknown;
  /** Of a declaration whose reads are parsed: JSON schemas of what it accepts, so that a field with a default may be missing. A log does not keep them. */
  readonly parses?: { readonly key: unknown; readonly value: unknown } | undefined;
}

/** JSON schemas of what a topic holds: by each of them something was appended. */
export interface HeldSchemas {
  readonly key: readonly unknown[];
  readonly value: readonly unknown[];
}

/** Why a declaration does not fit what the topic holds, as a sentence with the ways out; undefined when it fits. */
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
/** What a topic holds once something was appended to it by the declaration: by that, and by the earlier schemas that it does not cover. */
export const heldAfter = (declared: TopicShape, held: HeldSchemas): HeldSchemas => {
  const after = (side: 'key' | 'value'): readonly unknown[] => {
    const schema = declared[`${side}Schema`];
    // One that says nothing takes nothing from what is known.
    if (saysNothing(schema)) return held[side];
    return [schema, ...held[side].filter((written) => mismatchOf(schema, written) !== undefined)];
  };
  return { key: after('key'), value: after('value') };
};
const saysNothing = (schema: unknown): boolean => typeof schema !== 'object' || schema === null || Object.keys(schema).length === 0;

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
