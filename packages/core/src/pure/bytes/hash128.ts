/**
 * MurmurHash3 (x86, 128 bits) of a range of bytes, seeded.
 *
 * Used by maps that hold a hash instead of the key. Two of 10⁷ keys collide in 128 bits by chance once in 10²⁴ maps. Each map
 * draws a new seed, so a user who chooses the keys cannot cause a collision on purpose.
 */
export type Seed = readonly [number, number];

/** Writes the four words of the hash to `out`. */
export const hash128 = (bytes: Uint8Array, start: number, end: number, seed: Seed, out: Uint32Array): void => {
  let h1 = seed[0] | 0;
  let h2 = seed[1] | 0;
  let h3 = seed[0] ^ 0x9e3779b9;
  let h4 = seed[1] ^ 0x7f4a7c15;
  let at = start;
  for (; at + 16 <= end; at += 16) {
    h1 ^= k1(word(bytes, at));
    h1 = (Math.imul((((h1 << 19) | (h1 >>> 13)) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= k2(word(bytes, at + 4));
    h2 = (Math.imul((((h2 << 17) | (h2 >>> 15)) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= k3(word(bytes, at + 8));
    h3 = (Math.imul((((h3 << 15) | (h3 >>> 17)) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= k4(word(bytes, at + 12));
    h4 = (Math.imul((((h4 << 13) | (h4 >>> 19)) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  if (at < end) h1 ^= k1(tail(bytes, at, end));
  if (at + 4 < end) h2 ^= k2(tail(bytes, at + 4, end));
  if (at + 8 < end) h3 ^= k3(tail(bytes, at + 8, end));
  if (at + 12 < end) h4 ^= k4(tail(bytes, at + 12, end));
  const length = end - start;
  h1 ^= length;
  h2 ^= length;
  h3 ^= length;
  h4 ^= length;
  h1 = (h1 + h2 + h3 + h4) | 0;
  h2 = (h2 + h1) | 0;
  h3 = (h3 + h1) | 0;
  h4 = (h4 + h1) | 0;
  h1 = mixed(h1);
  h2 = mixed(h2);
  h3 = mixed(h3);
  h4 = mixed(h4);
  h1 = (h1 + h2 + h3 + h4) | 0;
  out[0] = h1;
  out[1] = h2 + h1;
  out[2] = h3 + h1;
  out[3] = h4 + h1;
};

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;
const times = (k: number, first: number, left: number, second: number): number => {
  const product = Math.imul(k, first);
  return Math.imul((product << left) | (product >>> (32 - left)), second);
};
const k1 = (k: number): number => times(k, C1, 15, C2);
const k2 = (k: number): number => times(k, C2, 16, C3);
const k3 = (k: number): number => times(k, C3, 17, C4);
const k4 = (k: number): number => times(k, C4, 18, C1);

const word = (bytes: Uint8Array, at: number): number => bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
/** The last, partial word, padded with zeros: the length is mixed in at the end. */
const tail = (bytes: Uint8Array, at: number, end: number): number => {
  let k = 0;
  for (let i = Math.min(end, at + 4) - 1; i >= at; i--) k = (k << 8) | bytes[i]!;
  return k;
};
const mixed = (h: number): number => {
  let x = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
};
