/**
 * Encodes text as UTF-8 and decodes UTF-8.
 *
 * Most texts here are short ASCII keys, for which JavaScript is faster than a native call (20 to 50 ns against 80); longer
 * texts go through `Buffer`. A lone surrogate has no UTF-8: it would become U+FFFD, and two different keys would have the
 * same bytes. Callers that must not lose a lone surrogate check `isWellFormed` first.
 */
const SHORT = 24;

/** The UTF-8 bytes of `text`, in a new buffer. */
export const utf8 = (text: string): Uint8Array => {
  const bytes = new Uint8Array(utf8Size(text));
  writeUtf8(bytes, 0, text);
  return bytes;
};

/** The number of bytes of `text` as UTF-8. */
export const utf8Size = (text: string): number => Buffer.byteLength(text, 'utf8');

/** Writes `text` at `at` and returns how many bytes it took. The target needs room for three bytes per UTF-16 unit. */
export const writeUtf8 = (target: Uint8Array, at: number, text: string): number => {
  if (text.length <= SHORT && writeAscii(target, at, text)) return text.length;
  return asBuffer(target).write(text, at, 'utf8');
};

/** Writes `text` if it is ASCII, one byte per unit; returns false, with some bytes written, if it is not. */
export const writeAscii = (target: Uint8Array, at: number, text: string): boolean => {
  const length = text.length;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return false;
    target[at + i] = unit;
  }
  return true;
};

/** The text of bytes[start, end). Malformed UTF-8 becomes U+FFFD. */
export const readUtf8 = (bytes: Uint8Array, start = 0, end: number = bytes.length): string => {
  if (end - start > SHORT) return asBuffer(bytes).toString('utf8', start, end);
  let text = '';
  let at = start;
  let all = 0;
  for (; at + 6 <= end; at += 6) {
    const a = bytes[at]!,
      b = bytes[at + 1]!,
      c = bytes[at + 2]!,
      d = bytes[at + 3]!,
      e = bytes[at + 4]!,
      f = bytes[at + 5]!;
    all |= a | b | c | d | e | f;
    text += String.fromCharCode(a, b, c, d, e, f);
  }
  for (; at < end; at++) {
    all |= bytes[at]!;
    text += String.fromCharCode(bytes[at]!);
  }
  return all < 0x80 ? text : asBuffer(bytes).toString('utf8', start, end);
};

/** False for text with a lone surrogate. (`String.prototype.isWellFormed` is newer than ES2023, the compile target.) */
export const isWellFormed = (text: string): boolean => !LONE_SURROGATE.test(text);
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The same memory as a Buffer. The last Buffer is kept, since many texts are read out of one batch. */
const asBuffer = (bytes: Uint8Array): Buffer => {
  if (bytes === lastBytes) return lastBuffer;
  if (bytes instanceof Buffer) return bytes;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length <= KEPT_BYTES) {
    lastBytes = bytes;
    lastBuffer = buffer;
  }
  return buffer;
};
const KEPT_BYTES = 256 * 1024;
let lastBuffer: Buffer = Buffer.alloc(0);
let lastBytes: Uint8Array = lastBuffer;
