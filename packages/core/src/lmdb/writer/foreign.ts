/**
 * Detects the commits of other processes.
 *
 * The file system reports when the data file was written; after such a notice the transaction id is read, which takes a few
 * microseconds, at most every five milliseconds under load. Reading it that often without a notice would waste some per
 * cent of a CPU, so without notices it is read only four times a second. Where the system gives no
 * notices (its limit of watches is reached), it is read every twenty milliseconds.
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

  /** `look` checks for a change, which may have been made by this process. */
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
      this.#watcher = watch(this.#path, { persistent: false }, () => this.#notified());
      this.#watcher.on('error', () => this.#goBlind());
    } catch {
      // Without notices, the interval below suffices.
    }
    this.#interval = setInterval(() => this.#lookNow(), this.#watcher === undefined ? BLIND_MS : UNTOLD_MS);
    this.#lookNow(); // finds commits from before the watch
  }
  stop(): void {
    this.#watcher?.close();
    clearInterval(this.#interval);
    clearTimeout(this.#soon);
    this.#watcher = this.#interval = this.#soon = undefined;
  }

  #notified(): void {
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
