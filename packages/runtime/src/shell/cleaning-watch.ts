/**
 * Watches what the log forgets beside a running app, whichever process does it: looks now and then, tells what is new, and
 * has the last look at hand for the status.
 */
import type { CleaningStanding } from '@stoplog/core/port';
import { cleaningNews } from '../pure/console/cleaning-text.ts';

/** Cleanings take seconds, and are worth a line, not a stream of them. */
const LOOK_MS = 10_000;

export class CleaningWatch {
  readonly #look: () => Promise<readonly CleaningStanding[]>;
  readonly #tell: (line: string) => void;
  #seen: readonly CleaningStanding[] | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(look: () => Promise<readonly CleaningStanding[]>, tell: (line: string) => void) {
    this.#look = look;
    this.#tell = tell;
  }

  /** As of the last look. */
  get standings(): readonly CleaningStanding[] {
    return this.#seen ?? [];
  }
  start(): void {
    void this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }
  stop(): void {
    clearInterval(this.#timer);
  }
  /** What was there when the app began is old; a failure is news however old it is. */
  async look(): Promise<void> {
    try {
      const found = await this.#look();
      const before = this.#seen ?? found.map((one) => ({ ...one, failure: undefined }));
      this.#seen = found;
      for (const line of cleaningNews(before, found)) this.#tell(line);
    } catch {
      // A log that is being closed, or is damaged: who reads or writes there is told.
    }
  }
}
