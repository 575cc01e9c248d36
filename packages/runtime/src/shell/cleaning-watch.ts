/**
 * Watches what the log forgets beside a running app, whichever process does it: looks now and then, tells what is new, and
 * has the last look at hand for the status.
 */
import type { CleaningStanding } from '@stoplog/core/tools';
import { cleanedNews, failureNews } from '../pure/console/cleaning-news.ts';

const LOOK_MS = 10_000;
/** A busy topic is cleaned all the time: that is worth a line now and then, not a stream of them. */
const QUIET_MS = 60_000;

export class CleaningWatch {
  readonly #look: () => Promise<readonly CleaningStanding[]>;
  readonly #tell: (line: string) => void;
  readonly #now: () => number;
  #seen: readonly CleaningStanding[] | undefined;
  /** As of the last line about what was cleaned. */
  #told: { readonly at: number; readonly standings: readonly CleaningStanding[] } = { at: -Infinity, standings: [] };
  #timer: NodeJS.Timeout | undefined;

  constructor(look: () => Promise<readonly CleaningStanding[]>, tell: (line: string) => void, now: () => number) {
    this.#now = now;
    this.#look = look;
    this.#tell = tell;
  }

  /** As of the last look. */
  get standings(): readonly CleaningStanding[] {
    return this.#seen ?? [];
  }
  /** The first look is a while off: starting has better things to do. */
  start(): void {
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
      if (this.#seen === undefined) this.#told = { at: -Infinity, standings: found };
      for (const line of failureNews(this.#seen ?? [], found)) this.#tell(line);
      this.#seen = found;
      if (this.#now() - this.#told.at < QUIET_MS) return;
      const lines = cleanedNews(this.#told.standings, found);
      if (lines.length > 0) this.#told = { at: this.#now(), standings: found };
      for (const line of lines) this.#tell(line);
    } catch {
      // A log that is being closed, or is damaged: who reads or writes there is told.
    }
  }
}
