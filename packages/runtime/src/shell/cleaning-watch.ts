/**
 * Watches retention and compaction beside a running app, in whichever process they run: reads the state of the cleanings every ten
 * seconds, reports news, and keeps the last state for the status.
 */
import type { CleaningStanding } from '@stoplog/core/tools';
import { cleanedNews, failureNews } from '../pure/console/cleaning-news.ts';

const LOOK_MS = 10_000;
/** A busy topic is cleaned all the time, so a line per minute is enough. */
const QUIET_MS = 60_000;

export class CleaningWatch {
  readonly #look: () => Promise<readonly CleaningStanding[]>;
  readonly #tell: (line: string) => void;
  readonly #now: () => number;
  #seen: readonly CleaningStanding[] | undefined;
  /** The state as of the last line about a cleaning. */
  #told: { readonly at: number; readonly standings: readonly CleaningStanding[] } = { at: -Infinity, standings: [] };
  #timer: NodeJS.Timeout | undefined;

  constructor(look: () => Promise<readonly CleaningStanding[]>, tell: (line: string) => void, now: () => number) {
    this.#now = now;
    this.#look = look;
    this.#tell = tell;
  }

  /** The state as last read. */
  get standings(): readonly CleaningStanding[] {
    return this.#seen ?? [];
  }
  /** Starts the timer. The first reading comes ten seconds later, so that the start of the app is not delayed. */
  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }
  stop(): void {
    clearInterval(this.#timer);
  }
  /** Reads the state. Cleanings before the start of the app are not reported; a failure is reported however old it is. */
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
      // A log that is being closed, or is damaged: the readers and writers get the error.
    }
  }
}
