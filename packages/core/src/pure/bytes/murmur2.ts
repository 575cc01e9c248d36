/**
 * MurmurHash2 with Kafka's seed, bit for bit as Kafka's Java client computes it: a key goes to the partition that Kafka would
 * choose.
 *
 * The hash is of the key's *bytes*, never of decoded text. The result is signed, as in Java; `partitionOf` clears the sign
 * bit before it takes the remainder.
 */
const SEED = 0x9747b28c;
const M = 0x5bd1e995;

export const murmur2 = (bytes: Uint8Array): number => {
  const length = bytes.length;
  const whole = length & ~3;
  let h = SEED ^ length;
  for (let i = 0; i < whole; i += 4) {
    let k = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    h = Math.imul(h, M) ^ Math.imul(k, M);
  }
  const rest = length - whole;
  if (rest >= 3) h ^= bytes[whole + 2]! << 16;
  if (rest >= 2) h ^= bytes[whole + 1]! << 8;
  if (rest >= 1) h = Math.imul(h ^ bytes[whole]!, M);
  h = Math.imul(h ^ (h >>> 13), M);
  return h ^ (h >>> 15);
};
