/**
 * Detects schemas of zod 4. Their parts can be inspected before there is a value, so a codec refuses at the declaration a schema that
 * it cannot carry; with another library's schema, only the values show it.
 */
import type { z } from 'zod';

export const isZod = (schema: unknown): schema is z.ZodType => isObject(schema) && '_zod' in schema;

/** True for a schema that implements Standard Schema, of any library. arktype's are functions. */
export const isSchema = (schema: unknown): boolean => isObject(schema) && '~standard' in schema;

const isObject = (found: unknown): found is object => (typeof found === 'object' && found !== null) || typeof found === 'function';
