/** The position of an actor in its input, and the jump when the log no longer has the next records. */

/** The record that an actor was processing. */
export interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** Records that the log deleted before the actor read them. */
export interface Jump {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  readonly to: bigint;
}

/** Notified of the actor's position at every record. */
export interface Footprints {
  /** The next records are of this input and batch. */
  at(input: number, baseOffset: bigint): void;
  enter(offsetDelta: number): void;
  leave(): void;
}
