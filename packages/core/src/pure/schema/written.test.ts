import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Owner } from './codec.ts';
import { checkWritten, takesItsOutput } from './written.ts';

const owner: Owner = { kind: 'store', name: 's', side: 'value' };
const pathOf = (schema: z.ZodType, value: unknown): unknown => {
  try {
    checkWritten(schema, value, owner);
    return undefined;
  } catch (error) {
    return (error as { readonly facts: { readonly path: string } }).facts.path;
  }
};

describe('a value that is written', () => {
  test.each([
    ['a number', z.int(), 5],
    ['a date', z.date(), new Date(5)],
    ['bytes', z.instanceof(Uint8Array), new Uint8Array([1])],
    ['a set', z.set(z.string()), new Set(['a'])],
    ['a map', z.map(z.string(), z.date()), new Map([['a', new Date(1)]])],
    ['an absent property', z.object({ a: z.string().optional() }), {}],
    ['an undefined property', z.object({ a: z.string().optional() }), { a: undefined }],
    ['a property that the schema does not know', z.object({ a: z.string() }), { a: 'x', b: 1 }],
    ['nested lists', z.object({ a: z.array(z.object({ b: z.int() })) }), { a: [{ b: 1 }] }],
  ])('passes as %s that the schema yields', (_, schema, value) => {
    expect(pathOf(schema, value)).toBeUndefined();
  });

  test.each([
    ['of another type', z.int(), '5', ''],
    ['that the schema coerces', z.coerce.number(), '5', ''],
    ['that the schema trims', z.object({ a: z.string().trim() }), { a: ' x' }, 'a'],
    ['without a property that has a default', z.object({ a: z.int().default(1) }), {}, 'a'],
    ['that the schema catches', z.array(z.int().catch(0)), [1, 'x'], '[1]'],
    ['deep inside', z.object({ a: z.array(z.object({ b: z.int() })) }), { a: [{ b: 1 }, { b: '2' }] }, 'a[1].b'],
  ])('is refused %s, by its path', (_, schema, value, path) => {
    expect(pathOf(schema, value)).toBe(path);
  });
});

test.each([
  ['a plain schema', z.object({ a: z.array(z.string().nullable()), b: z.record(z.string(), z.union([z.int(), z.date()])) }), true],
  ['a schema of itself', z.lazy((): z.ZodType => z.object({ next: z.lazy(() => z.string()).optional() })), true],
  ['a transform', z.string().transform(Number), false],
  ['a transform deep inside', z.object({ a: z.array(z.union([z.int(), z.preprocess(String, z.string())])) }), false],
])('%s takes what it yields: %3$s', (_, schema, answer) => {
  expect(takesItsOutput(schema)).toBe(answer);
});
