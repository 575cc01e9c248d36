import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { mismatchOf } from './compatible.ts';
import { jsonSchemaOf } from './fingerprint.ts';

const mismatch = (read: z.ZodType, written: z.ZodType): ReturnType<typeof mismatchOf> => mismatchOf(jsonSchemaOf(read), jsonSchemaOf(written));
const order = z.object({ id: z.string(), cents: z.int() });
interface Tree {
  readonly name: string;
  readonly of: readonly Tree[];
}
const tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get of() {
    return z.array(tree);
  },
});

describe('a reader fits what was written', () => {
  test.each<[string, z.ZodType, z.ZodType]>([
    ['by the same schema', order, z.object({ cents: z.int(), id: z.string() })],
    ['with a wider number', z.number(), z.int()],
    ['with a wider union', z.union([z.string(), z.int()]), z.int()],
    ['with more values of an enumeration', z.enum(['a', 'b', 'c']), z.enum(['a', 'b'])],
    ['with a string in place of one value', z.string(), z.literal('a')],
    ['with a field more that may be missing', order.extend({ note: z.string().optional() }), order],
    ['with a field that may be missing now', order.partial(), order],
    ['with a field less', order.omit({ cents: true }), order],
    ['with other bounds and formats', z.object({ id: z.email(), cents: z.int().min(5) }), order],
    ['with anything', z.unknown(), order],
    ['where nothing is known of what was written', order, z.unknown()],
    ['in a schema that refers to itself', tree, tree],
    ['in lists and records', z.record(z.string(), z.array(z.number())), z.record(z.string(), z.array(z.int()))],
    ['which may be null now', order.nullable(), order],
  ])('%s', (_, read, written) => expect(mismatch(read, written)).toBeUndefined());
});

describe('a reader does not fit what was written', () => {
  test.each<[string, z.ZodType, z.ZodType, string]>([
    ['in another type', z.string(), z.int(), ''],
    ['in a narrower number', z.int(), z.number(), ''],
    ['in a narrower union', z.int(), z.union([z.string(), z.int()]), ''],
    ['with fewer values of an enumeration', z.enum(['a']), z.enum(['a', 'b']), ''],
    ['with a field that was not written', order.extend({ note: z.string() }), order, '.note'],
    ['with a field that was not always written', order, order.partial({ cents: true }), '.cents'],
    ['in the type of a field', order.extend({ cents: z.string() }), order, '.cents'],
    ['deep inside', z.object({ of: z.array(order) }), z.object({ of: z.array(order.extend({ id: z.int() })) }), '.of[].id'],
    ['where it may be null', order, order.nullable(), ''],
    ['in a type that JSON has no name for', z.date(), z.bigint(), ''],
  ])('%s', (_, read, written, path) => expect(mismatch(read, written)?.path).toBe(path));
});
