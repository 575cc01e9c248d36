/**
 * Whether a schema is one of zod 4. Its parts can be looked at before there is a value, so a codec refuses what it cannot
 * carry where the topic is declared; of another library's schema only the values tell.
 */
import type { z } from 'zod';

export const isZod = (schema: unknown): schema is z.ZodType => isObject(schema) && '_zod' in schema;

/** True for what keeps Standard Schema, whichever library made it. arktype's are functions. */
export const isSchema = (schema: unknown): boolean => isObject(schema) && '~standard' in schema;

const isObject = (found: unknown): found is object => (typeof found === 'object' && found !== null) || typeof found === 'function';
