/**
 * The latest offset of each key, for compaction: a hash table in two typed arrays, with a limit.
 *
 * A slot is 16 bytes of hash and 8 of offset, for any length of the key. When three quarters of the largest table are
 * taken, a new key is refused: the caller cleans with the keys so far, and continues with an empty map from there (as with Kafka's
 * offset map), so that memory has a bound and the number of keys has none.
 */
import { hash128, type Seed } from '../bytes/hash128.ts';

const FIRST_SLOTS = 1 << 10;
const LOAD = 0.75;
/** 4 Mi slots of 24 bytes: 96 MiB, and half as much again for a moment while the map grows; three million keys a pass. */
export const MAX_SLOTS: number = 1 << 22;

export class KeyOffsets {
  readonly #seed: Seed;
  readonly #maxSlots: number;
  readonly #hash = new Uint32Array(4);
  #slots: number;
  #hashes: Uint32Array;
  /** Offset plus one; 0 is a free slot. */
  #offsets: Float64Array;
  #size = 0;

  constructor(seed: Seed, maxSlots: number = MAX_SLOTS) {
    this.#seed = seed;
    this.#maxSlots = maxSlots;
    this.#slots = Math.min(FIRST_SLOTS, maxSlots);
    this.#hashes = new Uint32Array(4 * this.#slots);
    this.#offsets = new Float64Array(this.#slots);
  }

  get size(): number {
    return this.#size;
  }
  get bytes(): number {
    return this.#hashes.byteLength + this.#offsets.byteLength;
  }

  /** Records that the key was last seen at the offset; returns false when the key is new and the map is full. Offsets come in their order. */
  put(bytes: Uint8Array, start: number, end: number, offset: number): boolean {
    hash128(bytes, start, end, this.#seed, this.#hash);
    let slot = this.#find();
    if (this.#offsets[slot] === 0) {
      if (this.#size + 1 > this.#slots * LOAD) {
        if (this.#slots >= this.#maxSlots) return false;
        this.#growTable();
        slot = this.#find();
      }
      this.#hashes.set(this.#hash, 4 * slot);
      this.#size++;
    }
    this.#offsets[slot] = offset + 1;
    return true;
  }

  /** The latest offset of the key; -1 when it was not seen. */
  get(bytes: Uint8Array, start: number, end: number): number {
    hash128(bytes, start, end, this.#seed, this.#hash);
    return this.#offsets[this.#find()]! - 1;
  }

  #find(): number {
    const hash = this.#hash;
    const hashes = this.#hashes;
    const mask = this.#slots - 1;
    let slot = hash[0]! & mask;
    while (this.#offsets[slot] !== 0) {
      const at = 4 * slot;
      if (hashes[at] === hash[0] && hashes[at + 1] === hash[1] && hashes[at + 2] === hash[2] && hashes[at + 3] === hash[3]) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  #growTable(): void {
    const hashes = this.#hashes;
    const offsets = this.#offsets;
    this.#slots *= 2;
    this.#hashes = new Uint32Array(4 * this.#slots);
    this.#offsets = new Float64Array(this.#slots);
    const mask = this.#slots - 1;
    for (let from = 0; from < offsets.length; from++) {
      if (offsets[from] === 0) continue;
      let slot = hashes[4 * from]! & mask;
      while (this.#offsets[slot] !== 0) slot = (slot + 1) & mask;
      for (let i = 0; i < 4; i++) this.#hashes[4 * slot + i] = hashes[4 * from + i]!;
      this.#offsets[slot] = offsets[from]!;
    }
  }
}
