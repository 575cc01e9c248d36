/**
 * The one place where a key meets a number.
 *
 * Kafka's Java client hashes the key's bytes with murmur2 and clears the sign bit before it divides. Other ways to make
 * the hash positive (`>>> 0`, `Math.abs`) agree with it for counts that are powers of two, and put half of all keys
 * elsewhere for the others: whoever writes such a topic with two clients has each key in two partitions.
 * Fixed for ever: changing it would part every key from its past.
 */
import { murmur2 } from '../bytes/murmur2.ts';

export const partitionOf = (keyBytes: Uint8Array, count: number): number => (murmur2(keyBytes) & 0x7fffffff) % count;
