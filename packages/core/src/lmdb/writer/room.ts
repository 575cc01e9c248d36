/**
 * Room in the writer's queue: the bytes of commits that all threads of a process may have on their way to the writer.
 *
 * Every client bounds the records of its own appends, but a process has any number of clients and actors, and each commit that
 * is sent waits in the memory of the writer. So a commit claims room before it is encoded, and the writer gives the room back
 * when it has answered. While there is room, claiming costs two atomic additions. When there is none, the caller asks the
 * writer, which serves all threads in the order of their requests (room-line.ts). No commit is refused: it waits.
 *
 * A thread may be terminated between claiming and sending. So each link counts its claims in a cell of its own, and the writer
 * gives back what a link still holds when its port closes.
 */
import type { QueueLoad } from '../../port/log.ts';

/** Four transactions of the writer: it stays busy while callers refill the queue. */
export const ROOM_BYTES: number = 16 * 1024 * 1024;

/** The cells that all threads of the process share. */
const BYTES = 0;
const WAITING = 1;

export const makeRoom = (): SharedArrayBuffer => new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
/** The cell of one link. */
export const makeClaims = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** A commit that is larger than the whole room claims all of it: it goes when nothing else is on its way. */
export const claimOf = (bytes: number): number => Math.min(bytes, ROOM_BYTES);

/** The room as seen by one link, and by the writer for this link. */
export class Room {
  readonly #shared: Int32Array;
  readonly #own: Int32Array;

  constructor(shared: SharedArrayBuffer, own: SharedArrayBuffer) {
    this.#shared = new Int32Array(shared);
    this.#own = new Int32Array(own);
  }

  get load(): QueueLoad {
    return { bytes: Atomics.load(this.#shared, BYTES), limit: ROOM_BYTES, waiting: Atomics.load(this.#shared, WAITING) };
  }
  /** Bytes that this link has claimed, and the writer has not given back. */
  get held(): number {
    return Atomics.load(this.#own, 0);
  }
  /** Claims room for a commit, unless there is too little, or others wait for theirs. */
  claim(bytes: number): boolean {
    return Atomics.load(this.#shared, WAITING) === 0 && this.take(bytes);
  }
  /** Claims room in turn, for the first waiting commit. */
  take(bytes: number): boolean {
    const claim = claimOf(bytes);
    for (;;) {
      const before = Atomics.load(this.#shared, BYTES);
      if (before + claim > ROOM_BYTES) return false;
      // V8 terminates a thread at a loop or a call of JavaScript: these two additions are done together or not at all.
      if (Atomics.compareExchange(this.#shared, BYTES, before, before + claim) === before) {
        Atomics.add(this.#own, 0, claim);
        return true;
      }
    }
  }
  give(claim: number): void {
    Atomics.sub(this.#own, 0, claim);
    Atomics.sub(this.#shared, BYTES, claim);
  }
  /** Publishes the number of waiting commits: no thread claims room past them. */
  wait(change: 1 | -1): void {
    Atomics.add(this.#shared, WAITING, change);
  }
}
