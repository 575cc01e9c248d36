import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { StoplogError } from '../errors.ts';
import type { CodecName, Serde } from './codec.ts';
import { serde, serdeOf } from './serde.ts';

const caught = (act: () => unknown): StoplogError => {
  try {
    act();
  } catch (error) {
    if (error instanceof StoplogError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};
const value = (schema: z.ZodType, codec: CodecName = 'json'): Serde<unknown> => serde(schema, codec, 'value', 'orders');
const through = (codec: Serde<unknown>, v: unknown): unknown => {
  const encoded = codec.encode(v);
  return codec.decode(typeof encoded === 'string' ? Buffer.from(encoded) : encoded);
};

describe('parsing', () => {
  const order = value(z.object({ lines: z.array(z.object({ qty: z.int() })) }));

  test('an error names owner, side, path and first issue, as facts and in the sentence', () => {
    const error = caught(() => order.parse({ lines: [{ qty: 'two' }, { qty: 'three' }] }));
    expect(error.code).toBe('STOPLOG_SCHEMA');
    expect(error.facts).toMatchObject({
      topic: 'orders',
      side: 'value',
      path: 'lines[0].qty',
      count: 2,
      issues: [{ path: ['lines', 0, 'qty'] }, { path: ['lines', 1, 'qty'] }],
    });
    expect(error.message).toBe(
      "a value for topic 'orders' does not parse: Invalid input: expected number, received string (first of 2 issues); correct it at lines[0].qty",
    );
  });

  test('a long array that fails everywhere makes a short error', () => {
    const error = caught(() => order.parse({ lines: Array.from({ length: 5_000 }, () => ({})) }));
    expect(error.facts['count']).toBe(5_000);
    expect(error.facts['issues']).toHaveLength(20);
  });

  test('asynchronous and throwing schemas end as STOPLOG_SCHEMA too', () => {
    expect(caught(() => value(z.string().refine(async () => true)).parse('a')).message).toMatch(/synchronous/);
    expect(
      caught(() =>
        value(
          z.string().transform(() => {
            throw new Error('oops');
          }),
        ).parse('a'),
      ).message,
    ).toMatch(/oops/);
  });

  test('coercions and defaults apply here, and nowhere else', () => {
    const codec = value(z.object({ n: z.coerce.number(), unit: z.string().default('ms') }));
    expect(codec.parse({ n: '5' })).toEqual({ n: 5, unit: 'ms' });
    expect(codec.decode(Buffer.from('{"n":"5"}'))).toEqual({ n: '5' });
  });
});

describe('a codec refuses, at the declaration, what it cannot carry', () => {
  const Tree = z.object({
    get children() {
      return z.array(Tree);
    },
    at: z.date(),
  });
  test.each<[string, z.ZodType, RegExp]>([
    ['a date', z.date(), /z\.date\(\).*z\.iso\.datetime\(\), or the msgpack codec/],
    ['a date in an array in an object', z.object({ a: z.array(z.object({ at: z.date().optional() })) }), /at a\[\]\.at .*z\.iso/],
    ['a bigint', z.bigint(), /bigint.*digits/],
    ['a nested bigint', z.union([z.string(), z.tuple([z.bigint()])]), /at \[0\]/],
    ['a bigint literal', z.literal(1n), /bigint/],
    ['the output of a codec', z.codec(z.iso.datetime(), z.date(), { decode: (s) => new Date(s), encode: (d) => d.toISOString() }), /z\.date/],
    ['the output of preprocess', z.preprocess(String, z.bigint()), /bigint/],
    ['a map', z.map(z.string(), z.string()), /z\.record/],
    ['a set', z.set(z.string()), /array/],
    ['a symbol', z.symbol(), /plain data/],
    ['NaN', z.nan(), /z\.null/],
    ['a promise', z.promise(z.string()), /promise/],
    ['a lazy date in an intersection', z.record(z.string(), z.string()).and(z.object({ f: z.lazy(() => z.date()) })), /date/],
    ['a date in a schema that contains itself', Tree, /at at /],
    ['a record of dates', z.record(z.string(), z.date()), /date/],
    ['a catch-all of dates', z.object({}).catchall(z.date()), /date/],
    ['a readonly default of a nullable date', z.date().nullable().default(null).readonly(), /date/],
  ])('json: %s', (_, schema, says) => {
    const error = caught(() => value(schema));
    expect(error.code).toBe('STOPLOG_SCHEMA');
    expect(error.message).toMatch(says);
    expect(error.message).toContain("value of topic 'orders'");
  });

  test('json carries a schema whose date is only the input: its output is text', () => {
    expect(
      value(
        z
          .date()
          .transform((d) => d.toISOString())
          .pipe(z.string()),
      ).parse(new Date(0)),
    ).toBe('1970-01-01T00:00:00.000Z');
  });

  test('msgpack refuses maps and functions, and sets in keys, which have no order of their own', () => {
    expect(caught(() => value(z.object({ m: z.map(z.string(), z.int()) }), 'msgpack')).message).toMatch(/z\.record/);
    expect(caught(() => serde(z.set(z.string()), 'msgpack', 'key', 'orders')).message).toMatch(/array/);
  });

  test('string and bytes refuse every schema of other values', () => {
    expect(caught(() => value(z.int(), 'string')).message).toMatch(/declare a z\.string\(\), or the json codec/);
    expect(caught(() => value(z.literal(5), 'string')).message).toMatch(/literal/);
    expect(caught(() => value(z.string(), 'bytes')).message).toMatch(/z\.instanceof\(Uint8Array\)/);
    for (const schema of [z.string().brand<'Id'>(), z.enum(['a', 'b']), z.literal('a'), z.templateLiteral(['a', z.int()]), z.uuid()]) value(schema, 'string');
  });

  test('an unknown codec is named with the known ones', () => {
    expect(caught(() => value(z.string(), 'xml' as CodecName)).message).toMatch(/'xml': take one of json, string, bytes, msgpack/);
  });
});

describe('msgpack carries', () => {
  test.each<[string, z.ZodType, unknown]>([
    ['dates', z.date(), new Date(1_234_567_890_123)],
    ['dates before 1970', z.date(), new Date(-1)],
    ['bigints of 64 bits', z.bigint(), 2n ** 63n - 1n],
    ['bigints beyond', z.bigint(), -(2n ** 200n)],
    ['small bigints as bigints', z.object({ n: z.bigint() }), { n: 1n }],
    ['sets', z.set(z.union([z.string(), z.int()])), new Set(['b', 1, 'a'])],
    ['bytes', z.instanceof(Uint8Array), Uint8Array.of(0, 255)],
    ['NaN', z.nan(), NaN],
    ['undefined in a property', z.object({ a: z.string().optional() }), { a: undefined }],
  ])('%s', (_, schema, v) => {
    expect(through(value(schema, 'msgpack'), v)).toStrictEqual(v);
  });

  test('msgpack carries bytes that belong to the reader', () => {
    const codec = value(z.instanceof(Uint8Array), 'msgpack');
    const encoded = codec.encode(Uint8Array.of(1, 2, 3)) as Uint8Array;
    const read = codec.decode(encoded);
    encoded.fill(0);
    expect(read).toEqual(Uint8Array.of(1, 2, 3));
  });
});

describe('a value that the codec would change is refused when it is encoded', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  class Money {
    cents = 5;
  }
  test.each<[string, z.ZodType, unknown, RegExp]>([
    ['undefined', z.string().optional(), undefined, /undefined at the value itself/],
    ['a function', z.unknown(), () => 1, /a function/],
    ['NaN', z.number(), NaN, /NaN at the value itself/],
    ['NaN inside', z.object({ mean: z.number() }), { mean: 0 / 0 }, /NaN at mean/],
    ['Infinity in an array', z.array(z.object({ 'a b': z.number() })), [{ 'a b': 1 }, { 'a b': Infinity }], /Infinity at \[1\]\["a b"\]/],
    ['undefined in an array', z.array(z.string().optional()), ['a', undefined], /undefined at \[1\]/],
    ['a date in an open schema', z.object({ at: z.any() }), { at: new Date() }, /a Date at at/],
    ['a date out of a transform', z.string().transform((s) => new Date(s)), new Date(), /a Date/],
    ['a map', z.unknown(), new Map(), /a Map/],
    ['an instance', z.instanceof(Money), new Money(), /a Money/],
    ['a bigint', z.unknown(), { n: 1n }, /a bigint at n/],
    ['a bigint against the types', z.number(), 1n, /BigInt/],
    ['a circle', z.unknown(), circle, /Maximum call stack|circular/i],
    ['a circle against the types', z.object({}), circle, /circular/i],
  ])('json: %s', (_, schema, v, says) => {
    const error = caught(() => value(schema).encode(v));
    expect(error.code).toBe('STOPLOG_SCHEMA');
    expect(error.message).toMatch(says);
    expect(error.message).toMatch(/^a value for topic 'orders' .*; give it as JSON has it, or declare the msgpack codec$/);
  });

  test('null itself, and the word null in text, are accepted', () => {
    const codec = value(z.object({ a: z.string().nullable(), b: z.string() }));
    expect(through(codec, { a: null, b: 'null and void' })).toEqual({ a: null, b: 'null and void' });
  });

  test('-0 is the one exception: it becomes 0, in every codec', () => {
    for (const codec of ['json', 'msgpack'] as const) expect(Object.is(through(value(z.number(), codec), -0), 0)).toBe(true);
  });

  test('msgpack refuses undefined, functions, maps, symbols and half surrogate pairs', () => {
    const open = value(z.unknown(), 'msgpack');
    for (const v of [undefined, () => 1, { f: () => 1 }, new Map(), Symbol('s'), { a: '\ud800' }, { '\udc00': 1 }, circle])
      expect(caught(() => open.encode(v)).code).toBe('STOPLOG_SCHEMA');
    expect(caught(() => value(z.object({ a: z.string() }), 'msgpack').encode({ a: 'x'.repeat(100) + '\ud800' })).message).toMatch(/surrogate pair at a/);
    expect(through(value(z.string(), 'msgpack'), 'a true \ufffd')).toBe('a true \ufffd');
    expect(through(open, { after: 'all that' })).toEqual({ after: 'all that' });
  });

  test('string refuses all but strings, and half a surrogate pair; bytes refuses all but bytes', () => {
    expect(caught(() => value(z.unknown(), 'string').encode(5)).message).toMatch(/a number/);
    expect(caught(() => value(z.string(), 'string').encode('\ud800')).message).toMatch(/toWellFormed/);
    expect(caught(() => value(z.unknown(), 'bytes').encode('a')).message).toMatch(/a string/);
  });
});

describe('names that are special in JavaScript (O12)', () => {
  const hostile = (): { admin?: unknown } => JSON.parse('{"__proto__":{"admin":true},"constructor":1,"prototype":2,"a":3}');

  test.each([
    ['open', z.unknown()],
    ['closed', z.json()],
  ])('json carries them as they are, ten thousand times (%s)', (_, schema) => {
    for (const side of ['key', 'value'] as const) {
      const codec = serde(schema, 'json', side, 'orders');
      for (let i = 0; i < 10_000; i++) {
        const read = through(codec, hostile()) as { admin?: unknown };
        if (Object.keys(read).length !== 4 || read.admin !== undefined) throw new Error(`read ${i}`);
      }
      const read = through(codec, hostile()) as { admin?: unknown };
      expect(Object.keys(read).sort()).toEqual(['__proto__', 'a', 'constructor', 'prototype']);
      expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
      expect(JSON.stringify(read)).toContain('"__proto__":{"admin":true}');
    }
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  test.each([
    ['open', z.unknown()],
    ['closed', z.json()],
  ])('msgpack refuses __proto__, which its reader would rename (%s)', (_, schema) => {
    for (const side of ['key', 'value'] as const) {
      const codec = serde(schema, 'msgpack', side, 'orders');
      expect(caught(() => codec.encode({ deep: [hostile()] })).message).toMatch(/a property named __proto__ at deep\[0\]/);
      expect(through(codec, { constructor: 1, prototype: 2, text: '__proto__' })).toEqual({ constructor: 1, prototype: 2, text: '__proto__' });
    }
  });
});

describe('decoding', () => {
  test('bytes that are not of the codec name the topic and what to declare', () => {
    const error = caught(() => value(z.unknown()).decode(Buffer.from('{"a":')));
    expect(error.code).toBe('STOPLOG_SCHEMA');
    expect(error.message).toMatch(/^a value in topic 'orders' is not json .*declare the codec it was written with$/);
    for (const bytes of ['', '"', '"a"b"', '"\\"', 'nul']) expect(caught(() => value(z.unknown()).decode(Buffer.from(bytes))).code).toBe('STOPLOG_SCHEMA');
    expect(caught(() => value(z.unknown(), 'msgpack').decode(Uint8Array.of(0x82, 0xa1))).code).toBe('STOPLOG_SCHEMA');
    expect(caught(() => value(z.unknown(), 'msgpack').decode(new Uint8Array())).code).toBe('STOPLOG_SCHEMA');
  });

  test('the bytes codec hands out copies, of Buffers too', () => {
    const batch = Buffer.from([1, 2, 3, 4]);
    const read = value(z.instanceof(Uint8Array), 'bytes').decode(batch, 1, 3);
    batch.fill(0);
    expect(new Uint8Array(read as Uint8Array)).toEqual(Uint8Array.of(2, 3));
  });

  test('a tool decodes with only the name of the codec', () => {
    expect(serdeOf('json').decode(Buffer.from('{"a":1}'))).toEqual({ a: 1 });
    expect(serdeOf('string').decode(Buffer.from('日本'))).toBe('日本');
  });
});
