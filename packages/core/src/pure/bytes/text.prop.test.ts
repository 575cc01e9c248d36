import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWellFormed, readUtf8, utf8, utf8Size, writeUtf8 } from './text.ts';

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ unit: 'binary-ascii', maxLength: 60 }));

describe('text', () => {
  test('text decodes to itself from its UTF-8, at every offset', () => {
    fc.assert(
      fc.property(text, fc.nat(5), (value, at) => {
        const encoded = new TextEncoder().encode(value);
        expect(utf8(value)).toEqual(encoded);
        expect(utf8Size(value)).toBe(encoded.length);
        const target = new Uint8Array(at + 3 * value.length);
        expect(writeUtf8(target, at, value)).toBe(encoded.length);
        expect(target.subarray(at, at + encoded.length)).toEqual(encoded);
        expect(readUtf8(target, at, at + encoded.length)).toBe(value);
        expect(isWellFormed(value)).toBe(true);
      }),
    );
  });

  test('any bytes are decoded to the text that the UTF-8 standard prescribes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(readUtf8(bytes)).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      }),
    );
  });

  test('NUL and a byte order mark are kept like any other character', () => {
    expect(readUtf8(utf8('\0\ufeffa\0'))).toBe('\0\ufeffa\0');
  });

  test('two buffers that are read in turn keep their own texts', () => {
    const [a, b] = ['a'.repeat(40), 'b'.repeat(40)];
    const bytes = [utf8(a), utf8(b)] as const;
    expect([readUtf8(bytes[0]), readUtf8(bytes[1]), readUtf8(bytes[0])]).toEqual([a, b, a]);
  });

  test('a lone surrogate is detected', () => {
    for (const half of ['\ud800', 'a\udc00', '\udc00\ud800', `${'x'.repeat(100)}\ud83d`]) expect(isWellFormed(half)).toBe(false);
  });
});
