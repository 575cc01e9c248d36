/** The limits of a turn and of a commit. */
import { GENERATION_BYTES } from './overlay.ts';

export interface Limits {
  /** Records of one turn: a few milliseconds, then the other actors of the thread have their turns. */
  readonly turnRecords: number;
  /** How long a turn may hold the thread. */
  readonly turnMs: number;
  readonly fetchBytes: number;
  /** An actor that is behind commits when a batch has this number of records, or has been open for `commitMs`. */
  readonly commitRecords: number;
  /** A turn ends, and a commit is due, when the outputs and the written entries since the last commit have this number of bytes. */
  readonly commitBytes: number;
  readonly commitMs: number;
  /** Commits only when nothing is left to read: one commit for all records found. */
  readonly commitsAtRest?: boolean;
}

/** `fetchBytes` is large enough that a scan costs little, small enough that eight actors of a thread hold a few megabytes. */
export const LIMITS: Limits = {
  turnRecords: 4_096,
  turnMs: 10,
  fetchBytes: 256 * 1024,
  commitRecords: 50_000,
  commitBytes: 4 * 1024 * 1024,
  commitMs: 100,
};

const MB = 1024 * 1024;
/** Less than this would make a commit of each record. */
const LEAST_BYTES = 64 * 1024;

/** The bytes that an actor may keep in the part of its thread's heap that is its own. */
export interface MemoryBounds {
  readonly commitBytes: number;
  /** For one generation of one store. */
  readonly generationBytes: number;
}
/**
 * Three commits (one open, two under way) and two generations of each store are in memory at once: by estimate less than half of the heap.
 * The rest is for the handlers, for garbage, and for values that are larger than estimated.
 */
export const memoryBounds = (heapMb: number, stores: number): MemoryBounds => ({
  commitBytes: Math.max(LEAST_BYTES, Math.min(LIMITS.commitBytes, (heapMb * MB) / 16)),
  generationBytes: Math.max(LEAST_BYTES, Math.min(GENERATION_BYTES, (heapMb * MB) / 8 / Math.max(1, stores))),
});
