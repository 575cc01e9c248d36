/**
 * Checks a value made by a pipeline's function before it is written.
 *
 * The function's type vouches for the value, but `any`, which JSON.parse returns, silences the compiler. The value must be one that
 * its schema yields: parsing returns it unchanged. A value that the schema would change ('5' coerced to a number, a missing
 * property with a default) is refused too. Properties unknown to the schema stay, because a function's type may hold more
 * than the topic's. The caller writes the function's value, never the parsed one.
 */
import type { z } from 'zod';
import { compareBytes } from '../bytes/sort-key.ts';
import { canonicalJson } from '../bytes/canonical.ts';
import { StoplogError } from '../errors.ts';
import type { Owner, Schema } from './codec.ts';
import { jsonSchemaOf } from './fingerprint.ts';
import { parserOf, pathText } from './refusal.ts';
import { isZod } from './zod.ts';

/** Throws `STOPLOG_SCHEMA`, which names owner, side and path. */
export const checkWritten = (schema: Schema, value: unknown, owner: Owner): void => {
  const parsed = parserOf(schema, owner)(value);
  const path = changedAt(value, parsed);
  if (path === undefined) return;
  const { kind, name, side } = owner;
  const message = 'the schema makes another value of it';
  throw new StoplogError(
    'STOPLOG_SCHEMA',
    { [kind]: name, side, path: pathText(path), issues: [{ path, message }], count: 1 },
    `a ${side} for ${kind} '${name}' is none that its schema yields: ${message}; correct it at ${path.length === 0 ? `the ${side} itself` : pathText(path)}`,
  );
};

/** Returns false for a schema with a transform: its input is of another kind, so parsing cannot judge its output. */
export const takesItsOutput = (schema: Schema): boolean => {
  const known = answers.get(schema);
  if (known !== undefined) return known;
  const answer = isZod(schema) ? !transforms(schema, new Set()) : canonicalJson(jsonSchemaOf(schema, 'input')) === canonicalJson(jsonSchemaOf(schema));
  answers.set(schema, answer);
  return answer;
};
const answers = new WeakMap<Schema, boolean>();

/** Visits the whole definition: every schema found in it is a part. */
const transforms = (part: unknown, seen: Set<unknown>): boolean => {
  if (typeof part !== 'object' || part === null || seen.has(part)) return false;
  seen.add(part);
  if (!isZod(part)) return Object.values(part).some((one) => transforms(one, seen));
  const { def } = (part as unknown as z.core.$ZodTypes)._zod;
  if (def.type === 'transform' || def.type === 'pipe') return true;
  return transforms(def.type === 'lazy' ? def.getter() : { ...def }, seen);
};

type Path = readonly (string | number)[];
const HERE: Path = [];

/** Returns the path at which parsing has changed a value, or undefined. */
const changedAt = (value: unknown, parsed: unknown): Path | undefined => {
  if (Object.is(value, parsed) || value === parsed) return undefined;
  if (typeof value !== 'object' || typeof parsed !== 'object' || value === null || parsed === null) return HERE;
  if (Array.isArray(value) || Array.isArray(parsed)) return Array.isArray(value) && Array.isArray(parsed) ? changedItem(value, parsed) : HERE;
  if (value instanceof Date) return parsed instanceof Date && Object.is(value.getTime(), parsed.getTime()) ? undefined : HERE;
  if (value instanceof Uint8Array) return parsed instanceof Uint8Array && compareBytes(value, parsed) === 0 ? undefined : HERE;
  if (value instanceof Set) return parsed instanceof Set ? changedItem([...value], [...parsed]) : HERE;
  if (value instanceof Map) return parsed instanceof Map ? changedItem([...value], [...parsed]) : HERE;
  for (const [name, is] of Object.entries(parsed)) {
    const below = changedAt((value as Readonly<Record<string, unknown>>)[name], is);
    if (below !== undefined) return [name, ...below];
  }
  return undefined;
};
const changedItem = (value: readonly unknown[], parsed: readonly unknown[]): Path | undefined => {
  if (value.length !== parsed.length) return HERE;
  for (const [i, one] of parsed.entries()) {
    const below = changedAt(value[i], one);
    if (below !== undefined) return [i, ...below];
  }
  return undefined;
};
