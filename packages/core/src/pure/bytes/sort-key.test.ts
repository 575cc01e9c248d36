import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareBytes, decodeSortKey, encodeSortKey } from './sort-key.ts';

const roundTrip = (key: unknown): unknown => decodeSortKey(encodeSortKey(key));
const order = (a: unknown, b: unknown): number => Math.sign(compareBytes(encodeSortKey(a), encodeSortKey(b)));
const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

const number = fc.double({ noNaN: true }).map((n) => n + 0);
const json = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' });
const key = fc.oneof(fc.constant(null), fc.boolean(), number, fc.bigInt(), fc.string({ unit: 'binary' }), fc.uint8Array(), json);

describe('sort key', () => {
  test('the bytes of numbers sort as the numbers do', () => {
    fc.assert(
      fc.property(fc.oneof(number, fc.integer()), fc.oneof(number, fc.integer()), (a, b) => {
        expect(order(a, b)).toBe(compare(a, b));
      }),
    );
    const rising = [-Infinity, -1e300, -2, -1.5, -1, -5e-324, 0, 5e-324, 1, 1.5, 2, 2 ** 53, 1e300, Infinity];
    rising.forEach((a, i) => rising.forEach((b, j) => expect(order(a, b)).toBe(compare(i, j))));
  });

  test('the bytes of bigints sort as the bigints do, at every length', () => {
    const bigint = fc.oneof(fc.bigInt(), fc.bigInt({ min: -300n, max: 300n }), fc.bigInt({ min: -(2n ** 2000n), max: 2n ** 2000n }));
    fc.assert(
      fc.property(bigint, bigint, (a, b) => {
        expect(order(a, b)).toBe(compare(a, b));
      }),
    );
  });

  test('the bytes of strings sort by code points', () => {
    const string = fc.string({ unit: 'binary', maxLength: 8 });
    const points = (text: string): number[] => Array.from(text, (c) => c.codePointAt(0)!);
    const byCodePoint = (a: number[], b: number[]): number => {
      const i = a.findIndex((point, at) => point !== b[at]);
      return i < 0 ? compare(a.length, b.length) : i >= b.length ? 1 : compare(a[i]!, b[i]!);
    };
    fc.assert(
      fc.property(string, string, (a, b) => {
        expect(order(a, b)).toBe(byCodePoint(points(a), points(b)));
      }),
    );
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(order(a, b)).toBe(compare(a, b));
      }),
    ); // ASCII sorts as JavaScript sorts strings
  });

  test('byte keys sort as their bytes, and each kind of key sorts after the previous kind', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        expect(order(a, b)).toBe(Math.sign(Buffer.compare(a, b)));
      }),
    );
    const kinds = [null, false, true, Infinity, -1n, '', new Uint8Array(0), {}];
    kinds.forEach((a, i) => kinds.forEach((b, j) => expect(order(a, b)).toBe(compare(i, j))));
  });

  test('every key decodes to the value that was encoded', () => {
    fc.assert(
      fc.property(key, (k) => {
        expect(roundTrip(k)).toStrictEqual(minusZeroGone(k));
      }),
      { numRuns: 500 },
    );
  });

  test('objects with equal data have equal bytes, in whatever order their properties were set', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (data) => {
        const backwards = Object.fromEntries(Object.entries(data).reverse());
        expect(encodeSortKey(backwards)).toEqual(encodeSortKey(data));
      }),
    );
    expect(encodeSortKey({ a: 1, b: undefined })).toEqual(encodeSortKey({ a: 1 }));
    expect(encodeSortKey(-0)).toEqual(encodeSortKey(0));
  });

  test('names that are special in JavaScript are ordinary names', () => {
    const data: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"prototype":2,"a":3}');
    const back = roundTrip(data) as object;
    expect(Object.keys(back).sort()).toEqual(['__proto__', 'a', 'constructor', 'prototype']);
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    expect((back as { admin?: unknown }).admin).toBeUndefined();
    for (const word of ['__proto__', 'constructor', 'toString']) expect(roundTrip(word)).toBe(word);
  });

  test('text with a lone surrogate, NUL or no characters decodes to itself, and no two texts share their bytes', () => {
    for (const text of ['\ud800', '\udfff', 'a\ud83d', '\0', '\0\0', '', '\ufffd']) expect(roundTrip(text)).toBe(text);
    expect(order('\ud800', '\ud801')).not.toBe(0);
    expect(order('\ud800', '\ufffd')).not.toBe(0);
  });

  const cycle: unknown[] = [];
  cycle.push(cycle);
  test.each([
    ['NaN', NaN],
    ['NaN inside', [NaN]],
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a bigint inside', { a: 1n }],
    ['bytes inside', [new Uint8Array(1)]],
    ['a hole', Array(2)],
    ['a cycle', cycle],
  ])('%s is refused as a key', (_, k) => {
    expect(() => encodeSortKey(k)).toThrow(expect.objectContaining({ code: 'STOPLOG_SCHEMA' }));
  });

  test('any bytes decode to a key or are refused, and never crash the decoder', () => {
    const tagged = fc
      .tuple(fc.constantFrom(0, 1, 2, 3, 0x10, 0x18, 0x20, 0x28, 0x30), fc.uint8Array({ maxLength: 12 }))
      .map(([tag, rest]) => Uint8Array.of(tag, ...rest));
    fc.assert(
      fc.property(fc.oneof(tagged, fc.uint8Array()), (bytes) => {
        try {
          decodeSortKey(bytes);
        } catch (error) {
          expect(error).toMatchObject({ code: 'STOPLOG_LOG_CORRUPT' });
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

const minusZeroGone = (data: unknown): unknown =>
  data instanceof Uint8Array || data === null
    ? data
    : Array.isArray(data)
      ? data.map(minusZeroGone)
      : typeof data === 'object'
        ? Object.fromEntries(Object.entries(data).map(([name, value]) => [name, minusZeroGone(value)]))
        : Object.is(data, -0)
          ? 0
          : data;
