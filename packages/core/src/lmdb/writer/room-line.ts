/**
 * The line of callers that wait for room in the writer's queue (room.ts), in the order in which their requests came.
 *
 * The first in line gets its room before anyone else, also when a smaller commit behind it would fit: otherwise small commits
 * would keep a large one waiting for ever.
 */
import { claimOf, type Room } from './room.ts';

interface Asked {
  readonly room: Room;
  readonly bytes: number;
  readonly grant: () => void;
}

export class RoomLine {
  readonly #line: Asked[] = [];

  /** Grants the room now, or in turn. Returns a function that leaves the line. */
  ask(room: Room, bytes: number, grant: () => void): () => void {
    const asked = { room, bytes, grant };
    this.#line.push(asked);
    room.wait(1);
    this.#serve();
    return () => {
      const at = this.#line.indexOf(asked);
      if (at < 0) return;
      this.#line.splice(at, 1);
      room.wait(-1);
      this.#serve();
    };
  }
  /** Gives back the room of an answered commit. */
  give(room: Room, bytes: number): void {
    room.give(claimOf(bytes));
    this.#serve();
  }
  /** Gives back the room of a closed link, except for its commits in the queue. */
  leave(room: Room, queued: number): void {
    room.give(room.held - queued);
    this.#serve();
  }

  #serve(): void {
    for (let first = this.#line[0]; first !== undefined && first.room.take(first.bytes); first = this.#line[0]) {
      this.#line.shift();
      first.room.wait(-1);
      first.grant();
    }
  }
}
