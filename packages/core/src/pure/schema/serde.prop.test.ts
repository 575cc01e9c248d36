import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isStoplogError } from '../errors.ts';
import type { Encoded, Serde } from './codec.ts';
import { serde } from './serde.ts';

const bytesOf = (encoded: Encoded): Uint8Array => (typeof encoded === 'string' ? new Uint8Array(Buffer.from(encoded)) : encoded);
/** Encodes, and decodes from the middle of other bytes, because a record is part of a batch. */
const through = (codec: Serde<unknown>, value: unknown): unknown => {
  const bytes = bytesOf(codec.encode(value));
  const batch = new Uint8Array(bytes.length + 7).fill(0x22);
  batch.set(bytes, 3);
  return codec.decode(batch, 3, 3 + bytes.length);
};
/** `toEqual` would take a property named `constructor` for the class of its object. */
const expectSame = (read: unknown, written: unknown): void => {
  if (!isDeepStrictEqual(read, written)) expect.fail(`read ${inspect(read)} where ${inspect(written)} was written`);
};

const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('', '"', '\\', '\ud800', 'a\udc00b', '\u2028', 'null', '\0', '😀'));
const wellFormed = fc.string({ unit: 'binary', maxLength: 80 });
/** fast-check makes `__proto__` too, about once in a thousand values, and msgpack refuses it as a name. */
const msgpackName = wellFormed.filter((n) => n !== '__proto__');
const name = fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'toJSON', 'hasOwnProperty', 'length', '1', '01'));
const number = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((n) => n + 0 || 0);
const data = (leaf: fc.Arbitrary<unknown>, names: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
  fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('any'), { maxLength: 4 }),
      fc.uniqueArray(fc.tuple(names, tie('any')), { maxLength: 4, selector: ([n]) => n }).map((entries) => Object.fromEntries(entries)),
    ),
  })).any;
const json = data(fc.oneof(fc.constant(null), fc.boolean(), number, anyText), name);

describe('a decoded value equals the encoded one', () => {
  test('json carries every value that JSON can hold, from an open schema or a closed one', () => {
    const open = serde(z.unknown(), 'json', 'value', 't');
    const closed = serde(z.json(), 'json', 'value', 't');
    fc.assert(
      fc.property(json, (value) => {
        expectSame(through(open, value), value);
        expectSame(through(closed, value), value);
      }),
    );
  });

  test('msgpack carries dates, bigints, sets and bytes', () => {
    const codec = serde(z.unknown(), 'msgpack', 'value', 't');
    const leaf = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      number,
      fc.constantFrom(NaN, Infinity, -Infinity),
      wellFormed,
      fc.bigInt(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
      fc.date({ noInvalidDate: true }),
      fc.uint8Array({ maxLength: 40 }),
      fc.uniqueArray(wellFormed).map((items) => new Set(items)),
    );
    const names = fc.oneof(msgpackName, fc.constantFrom('constructor', 'prototype', 'toString', 'toJSON', 'hasOwnProperty', 'length', '1', '01', '__proto_'));
    fc.assert(
      fc.property(data(leaf, names), (value) => {
        expectSame(through(codec, value), value);
      }),
    );
  });

  test('msgpack carries a value whole or refuses it, half surrogates and __proto__ included, for open schemas and closed ones', () => {
    for (const schema of [z.unknown(), z.json()]) {
      const codec = serde(schema, 'msgpack', 'value', 't');
      fc.assert(
        fc.property(json, (value) => {
          try {
            expectSame(through(codec, value), value);
          } catch (error) {
            if (!isStoplogError(error)) throw error;
            expect(error.message).toMatch(/half a surrogate pair|__proto__/);
          }
        }),
      );
    }
  });

  test.each([
    ['at the value itself', JSON.parse('{"__proto__":[]}')],
    ['at constructor', JSON.parse('{"constructor":{"__proto__":[]}}')],
    ['at constructor[0]', { constructor: [JSON.parse('{"__proto__":1}')] }],
  ])('msgpack refuses a property named __proto__ %s, for open schemas and closed ones', (where, value) => {
    for (const schema of [z.unknown(), z.json()])
      expect(() => serde(schema, 'msgpack', 'value', 't').encode(value)).toThrow(
        expect.objectContaining({ message: expect.stringContaining(`a property named __proto__ ${where};`) }),
      );
  });

  test('string and bytes carry their values', () => {
    const text = serde(z.string(), 'string', 'value', 't');
    const bytes = serde(z.instanceof(Uint8Array), 'bytes', 'value', 't');
    fc.assert(
      fc.property(wellFormed, fc.uint8Array(), (a, b) => {
        expect(through(text, a)).toBe(a);
        expect(through(bytes, b)).toEqual(b);
      }),
    );
  });
});

describe('keys', () => {
  const shuffled = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shuffled)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([n, v]) => [n, shuffled(v)]),
          )
        : value;

  test.each(['json', 'msgpack'] as const)('equal objects are equal bytes in %s, however they were assembled', (codec) => {
    const keys = serde(z.json(), codec, 'key', 't');
    const values = codec === 'json' ? json : data(fc.oneof(fc.boolean(), number, wellFormed), msgpackName);
    fc.assert(
      fc.property(values, (value) => {
        expect(keys.encode(shuffled(value))).toEqual(keys.encode(value));
        expectSame(through(keys, value), value);
      }),
    );
  });
});
