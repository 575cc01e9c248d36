/**
 * A schema as data: its JSON form for tools, a hash for comparing, a word or two for people.
 *
 * The hash covers the form of the values. Descriptions and titles do not count, nor does
 * the order of properties, nor the pattern zod writes for a format it also names: that may change with zod's version, and
 * no store should be refused for it. Types that JSON has no name for (bigint, date, map) are named, so that they differ.
 */
import type { StandardJSONSchemaV1 } from '@standard-schema/spec';
import { z } from 'zod';
import { canonicalJson } from '../bytes/canonical.ts';
import type { Schema } from './codec.ts';
import { isZod } from './zod.ts';
import { describeJsonSchema } from './describe.ts';

/** Twelve hex digits for schemas (and words beside them) in their order. */
export const fingerprintOf = (...parts: readonly (Schema | string)[]): string =>
  hash(canonicalJson(parts.map((part) => (typeof part === 'string' ? part : jsonSchemaOf(part)))));

/** `string`, `{id: string, rank: number}[]`. */
export const describeSchema = (schema: Schema): string => describeJsonSchema(jsonSchemaOf(schema));

/** `{}` where the schema's library gives no JSON form: a change of such a schema is not detected. */
export const jsonSchemaOf = (schema: Schema, io: 'input' | 'output' = 'output'): unknown => {
  const { $schema: _, ...json } = isZod(schema) ? z.toJSONSchema(schema, { unrepresentable: 'any', override: tidy, io }) : jsonOfOthers(schema, io);
  return JSON.parse(JSON.stringify(json));
};

/** The JSON form by Standard JSON Schema, which a library's schemas implement themselves (arktype) or by a function (valibot). */
const jsonOfOthers = (schema: Schema, io: 'input' | 'output'): Record<string, unknown> => {
  const { jsonSchema } = schema['~standard'] as Partial<StandardJSONSchemaV1['~standard']>;
  try {
    return withoutWords(jsonSchema?.[io]({ target: 'draft-2020-12' }) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
};
const withoutWords = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(withoutWords);
  if (typeof json !== 'object' || json === null) return json;
  const kept = Object.entries(json).filter(([word]) => !WORDS.includes(word));
  return Object.fromEntries(
    kept.map(([word, part]) => [word, NAMED.has(word) ? mapValues(part as object, withoutWords) : word === 'required' ? sorted(part) : withoutWords(part)]),
  );
};
/** Below these keywords, names are the user's. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs']);
const mapValues = (named: object, map: (value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [name, map(value)]));
const sorted = (names: unknown): unknown => (Array.isArray(names) ? names.map(String).toSorted((a, b) => (a < b ? -1 : 1)) : names);
const WORDS: readonly string[] = ['title', 'description', 'examples', 'deprecated', 'default'];

const tidy = ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Record<string, unknown> }): void => {
  const { type } = zodSchema._zod.def;
  for (const word of WORDS) delete jsonSchema[word];
  if (jsonSchema['format'] !== undefined) delete jsonSchema['pattern'];
  if (Array.isArray(jsonSchema['required'])) jsonSchema['required'].sort((a, b) => (String(a) < String(b) ? -1 : 1));
  if (NAMELESS.has(type)) jsonSchema['x-type'] = type;
};

const NAMELESS: ReadonlySet<string> = new Set(['bigint', 'date', 'map', 'set', 'symbol', 'undefined', 'void', 'nan', 'custom', 'transform']);

/** Two 32-bit lanes over the code units (cyrb53 by bryc, public domain), of which 48 bits are kept. */
const hash = (text: string): string => {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  const low = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  const high = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return hex(high).slice(4) + hex(low);
};
const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
