/**
 * The partitioner: the only function that chooses a partition for a key.
 *
 * Kafka's Java client hashes the key's bytes with murmur2 and clears the sign bit before it divides. Other ways to make
 * the hash positive (`>>> 0`, `Math.abs`) agree with it for counts that are powers of two, and choose another partition for
 * half of all keys with other counts: two clients that differ in this write each key to two partitions.
 * The formula is fixed for ever: a change would separate the new records of every key from its old ones.
 */
import { murmur2 } from '../bytes/murmur2.ts';

/**
 * The partition of a key, from its encoded bytes: as Kafka's Java client chooses it.
 *
 * @example
 * partitionOf(new TextEncoder().encode('"o1"'), 4)
 */
export const partitionOf = (keyBytes: Uint8Array, count: number): number => (murmur2(keyBytes) & 0x7fffffff) % count;
