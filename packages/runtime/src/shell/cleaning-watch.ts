/**
 * Watches retention and compaction beside a running app, in whichever process they run: reads the state of the cleanings every ten
 * seconds, reports news, and keeps the last state for the status.
 */
import type { PartitionCleaning } from '@stoplog/core/tools';
import { cleanedNews, failureNews } from '../pure/console/cleaning-news.ts';

const LOOK_MS = 10_000;
/** A busy topic is cleaned all the time, so a line per minute is enough. */
const QUIET_MS = 60_000;

export class CleaningWatch {
  readonly #look: () => Promise<readonly PartitionCleaning[]>;
  readonly #report: (line: string) => void;
  readonly #now: () => number;
  #seen: readonly PartitionCleaning[] | undefined;
  /** The state as of the last line about a cleaning. */
  #reported: { readonly at: number; readonly descriptions: readonly PartitionCleaning[] } = { at: -Infinity, descriptions: [] };
  #timer: NodeJS.Timeout | undefined;

  constructor(look: () => Promise<readonly PartitionCleaning[]>, report: (line: string) => void, now: () => number) {
    this.#now = now;
    this.#look = look;
    this.#report = report;
  }

  /** The state as last read. */
  get descriptions(): readonly PartitionCleaning[] {
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
      if (this.#seen === undefined) this.#reported = { at: -Infinity, descriptions: found };
      for (const line of failureNews(this.#seen ?? [], found)) this.#report(line);
      this.#seen = found;
      if (this.#now() - this.#reported.at < QUIET_MS) return;
      const lines = cleanedNews(this.#reported.descriptions, found);
      if (lines.length > 0) this.#reported = { at: this.#now(), descriptions: found };
      for (const line of lines) this.#report(line);
    } catch {
      // A log that is being closed, or is damaged: the readers and writers get the error.
    }
  }
}
