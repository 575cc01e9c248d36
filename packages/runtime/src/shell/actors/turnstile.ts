/**
 * Lets suspects take their steps one at a time, each noted in the log first. So when the process dies, at most one note names a step that
 * is not committed, and its records are to blame. Actors that are not suspect do not pass here.
 */
import type { Step } from '../../pure/actor/careful.ts';

/** Resolves when the step of the unit is durably noted, or cannot be. `isWanted` becomes false when the unit has ended. */
export type NoteStep = (unit: string, step: Step, isWanted: () => boolean) => Promise<void>;

interface Waiting {
  readonly unit: string;
  readonly step: Step;
  readonly go: () => void;
}

export class Turnstile {
  readonly #note: NoteStep;
  readonly #queue: Waiting[] = [];
  /** The unit that takes a step, or whose step is being noted. */
  #inside: Waiting | undefined;

  constructor(note: NoteStep) {
    this.#note = note;
  }
  /** Calls `go` when the unit may take the step. */
  enter(unit: string, step: Step, go: () => void): void {
    this.#queue.push({ unit, step, go });
    if (this.#inside === undefined) void this.#next();
  }
  /** The unit has committed its step, or has ended. */
  leave(unit: string): void {
    const waits = this.#queue.findIndex((waiting) => waiting.unit === unit);
    if (waits !== -1) this.#queue.splice(waits, 1);
    if (this.#inside?.unit !== unit) return;
    this.#inside = undefined;
    void this.#next();
  }
  async #next(): Promise<void> {
    const first = this.#queue.shift();
    if (first === undefined) return;
    this.#inside = first;
    const isInside = (): boolean => this.#inside === first;
    await this.#note(first.unit, first.step, isInside);
    // The unit may have ended meanwhile.
    if (isInside()) first.go();
  }
}
