/**
 * Varints: seven bits per byte, lowest first; the top bit says that another byte follows. Small numbers cost one byte.
 *
 * Numbers are JavaScript's safe integers, so a varint has eight bytes at most. `zigzag` interleaves the negative numbers (0,
 * -1, 1, -2 → 0, 1, 2, 3), so that a small negative number is as short as a small positive one; it takes |n| ≤ 2^52. Each
 * number has exactly one encoding: a longer one is malformed.
 */
export const MAX_VARINT_SIZE = 8;

/** A range being read: bytes[at, end). */
export interface VarintCursor {
  readonly bytes: Uint8Array;
  at: number;
  readonly end: number;
}

export const varintSize = (n: number): number => {
  let size = 1;
  for (let rest = n; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
};

/** Writes `n` at `at` and returns the offset after it. */
export const writeVarint = (target: Uint8Array, at: number, n: number): number => {
  let rest = n;
  let next = at;
  for (; rest > 0x7fffffff; rest = Math.floor(rest / 0x80)) target[next++] = (rest % 0x80) | 0x80;
  for (; rest >= 0x80; rest >>>= 7) target[next++] = (rest & 0x7f) | 0x80;
  target[next++] = rest;
  return next;
};

/** Reads a number and moves the cursor past it. Returns -1 for an encoding that is cut off, too long, or over 2^53 - 1. */
export const readVarint = (cursor: VarintCursor): number => {
  const { bytes, end } = cursor;
  let at = cursor.at;
  let n = 0;
  let unit = 1;
  for (let size = 1; at < end && size <= MAX_VARINT_SIZE; size++) {
    const byte = bytes[at++]!;
    n += (byte & 0x7f) * unit;
    if (byte < 0x80) {
      if ((byte === 0 && size > 1) || n > Number.MAX_SAFE_INTEGER) return -1;
      cursor.at = at;
      return n;
    }
    unit *= 0x80;
  }
  return -1;
};

export const zigzag = (n: number): number => (n < 0 ? -2 * n - 1 : 2 * n);
export const unzigzag = (z: number): number => (z % 2 === 0 ? z / 2 : -(z + 1) / 2);
