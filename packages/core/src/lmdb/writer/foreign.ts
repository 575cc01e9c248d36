/**
 * Notices that another process has committed.
 *
 * The file system says when the data file was written; whoever is told looks at the transaction id, which takes a few
 * microseconds, at most every five milliseconds under load. Looking that often without being told would cost some per
 * cent of a CPU for nothing, so without notice there is a look only four times a second. Where the system has no notices
 * to give (its limit of watches is reached), looking every twenty milliseconds must do.
 */
import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILE } from '../folder/files.ts';

const AT_MOST_MS = 5;
const UNTOLD_MS = 250;
const BLIND_MS = 20;

export class ForeignCommits {
  readonly #path: string;
  readonly #look: () => void;
  #watcher: FSWatcher | undefined;
  #interval: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #lookedAt = -Infinity;

  /** `look` finds out whether anything has changed; it may well have been this process. */
  constructor(folder: string, look: () => void) {
    this.#path = join(folder, DATA_FILE);
    this.#look = look;
  }

  get watching(): boolean {
    return this.#interval !== undefined;
  }
  start(): void {
    if (this.watching) return;
    try {
      this.#watcher = watch(this.#path, { persistent: false }, () => this.#told());
      this.#watcher.on('error', () => this.#goBlind());
    } catch {
      // Then by looking alone.
    }
    this.#interval = setInterval(() => this.#lookNow(), this.#watcher === undefined ? BLIND_MS : UNTOLD_MS);
    this.#lookNow(); // what came before the watch began
  }
  stop(): void {
    this.#watcher?.close();
    clearInterval(this.#interval);
    clearTimeout(this.#soon);
    this.#watcher = this.#interval = this.#soon = undefined;
  }

  #told(): void {
    const early = this.#lookedAt + AT_MOST_MS - performance.now();
    if (early <= 0) this.#lookNow();
    else this.#soon ??= setTimeout(() => this.#lookNow(), early);
  }
  #lookNow(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#lookedAt = performance.now();
    this.#look();
  }
  #goBlind(): void {
    if (!this.watching) return;
    this.#watcher?.close();
    this.#watcher = undefined;
    clearInterval(this.#interval);
    this.#interval = setInterval(() => this.#lookNow(), BLIND_MS);
  }
}
