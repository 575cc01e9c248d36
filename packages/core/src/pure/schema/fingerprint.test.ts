import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { describeSchema, fingerprintOf, jsonSchemaOf } from './fingerprint.ts';

describe('a fingerprint', () => {
  const User = z.object({ id: z.string().brand<'Id'>(), rank: z.int().optional() });

  test('a fingerprint is twelve hex digits, the same each time, and the same in every release', () => {
    expect(fingerprintOf(z.string())).toMatch(/^[0-9a-f]{12}$/);
    expect(fingerprintOf(z.string())).toBe(fingerprintOf(z.string()));
    expect([z.string(), z.array(z.number()), z.object({ a: z.iso.datetime() })].map((s) => fingerprintOf(s))).toMatchInlineSnapshot(`
      [
        "a2bf8c00cf9b",
        "7f81e1d3fc3d",
        "05d0ca00843b",
      ]
    `);
  });

  test('a fingerprint stays when only descriptions and order change', () => {
    const same = z.object({ rank: z.int().optional().describe('0 is best'), id: z.string().meta({ title: 'ID' }) });
    expect(fingerprintOf(same)).toBe(fingerprintOf(User));
  });

  test('a fingerprint distinguishes schemas of different values', () => {
    const schemas = [
      z.string(),
      z.number(),
      z.int(),
      z.boolean(),
      z.null(),
      z.bigint(),
      z.date(),
      z.undefined(),
      z.unknown(),
      z.uuid(),
      z.iso.datetime(),
      z.array(z.string()),
      z.set(z.string()),
      z.record(z.string(), z.number()),
      User,
      User.partial(),
      User.extend({ description: z.string() }),
      User.extend({ title: z.string() }),
      z.enum(['a']),
      z.enum(['b']),
      z.string().nullable(),
      z.union([z.string(), z.number()]),
      z.tuple([z.string()]),
    ];
    expect(new Set(schemas.map((schema) => fingerprintOf(schema))).size).toBe(schemas.length);
    expect(fingerprintOf(z.string(), z.number())).not.toBe(fingerprintOf(z.number(), z.string()));
  });
});

describe('a description reads like a type', () => {
  const Tree = z.object({
    get children() {
      return z.array(Tree);
    },
  });
  test.each<[z.ZodType, string]>([
    [z.string(), 'string'],
    [z.array(z.object({ id: z.string(), rank: z.number() })), '{id: string, rank: number}[]'],
    [z.object({ a: z.int().optional(), b: z.string().nullable() }), '{a?: integer, b: string | null}'],
    [z.array(z.union([z.string(), z.number()])), '(string | number)[]'],
    [z.record(z.string(), z.number()), '{[name]: number}'],
    [z.enum(['a', 'b']), '"a" | "b"'],
    [z.literal(5), '5'],
    [z.iso.datetime(), 'date-time'],
    [z.tuple([z.string(), z.int()]), '[string, integer]'],
    [z.bigint(), 'bigint'],
    [z.array(z.date()), 'date[]'],
    [z.unknown(), 'unknown'],
    [Tree, '{children: …[]}'],
  ])('%#: %2$s', (schema, words) => {
    expect(describeSchema(schema)).toBe(words);
  });
});

test('a schema as JSON survives JSON', () => {
  const json = jsonSchemaOf(z.object({ a: z.bigint(), b: z.array(z.date()) }));
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
});
