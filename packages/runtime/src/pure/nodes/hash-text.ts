/**
 * A plain hash of 48 bits, for texts of declarations: a check against accidents, not against an adversary.
 *
 * Two 32-bit lanes of multiply and fold, finished as murmur3 does.
 */
/** 12 hex digits. */
export const hashText = (text: string): string => {
  let [a, b] = [0x9e3779b9, 0x85ebca6b];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
    a ^= a >>> 15;
    b ^= b >>> 13;
  }
  return (hex(a ^ Math.imul(b, 0x27d4eb2f)) + hex(b ^ a)).slice(0, 12);
};

const hex = (h: number): string => mix(h).toString(16).padStart(8, '0');
const mix = (h: number): number => {
  let x = h;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
};
