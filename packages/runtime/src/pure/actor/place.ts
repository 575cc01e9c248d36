/** Where an actor is in its input, and how that place moves when the log no longer has the next records. */

/** The record that an actor was at when something happened. */
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

/** Notified of the actor's place at every record. */
export interface Footprints {
  /** The next records are of this input and batch. */
  at(input: number, baseOffset: bigint): void;
  enter(offsetDelta: number): void;
  leave(): void;
}
