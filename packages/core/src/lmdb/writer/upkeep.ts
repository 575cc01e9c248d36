/**
 * The work that the writer does by itself: cleans, forgets producers that were silent for days, frees deleted bytes, and
 * clears the slots of dead readers, so that they do not keep old pages from reuse; then it checks whether it is alone (flushing.ts).
 */
import type { Cleaned, CleanOptions } from '../../pure/retention/cleaned.ts';
import { isLeftToSweep, sweep } from '../transaction/administer.ts';
import type { Cleanups } from '../tables/cleanups.ts';
import { checkReaders, type Env, type MaintenanceOptions } from '../tables/env.ts';
import type { LogTime } from '../tables/log-time.ts';
import { Maintenance, MAINTENANCE } from '../cleaner/maintenance.ts';
import { applyForgetProducers, silentProducers } from '../transaction/producers.ts';
import type { CallQueue } from './queue.ts';
import type { PartitionId } from '../tables/reader.ts';
import type { PlacedReport } from '../cleaner/reports.ts';

const READER_CHECK_MS = 30_000;
const PRODUCER_CHECK_MS = 3_600_000;

export class Upkeep {
  readonly #env: Env;
  readonly #queue: CallQueue;
  readonly #cleanups: Cleanups;
  readonly #maintenance: Maintenance;
  readonly #lookAround: () => void;
  readonly #clock: LogTime | undefined;
  readonly #everyMs: number;
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(env: Env, queue: CallQueue, cleanups: Cleanups, options: Partial<MaintenanceOptions> | undefined, lookAround: () => void, clock?: LogTime) {
    const pace = { ...MAINTENANCE, ...options };
    this.#env = env;
    this.#queue = queue;
    this.#cleanups = cleanups;
    this.#lookAround = lookAround;
    this.#clock = clock;
    this.#everyMs = pace.everyMs;
    this.#maintenance = new Maintenance(env, cleanups, pace, (apply) => queue.commit(apply));
  }

  /** Begins with the rest of a sweep: a process may have ended while it freed the bytes of a deleted topic or store. */
  start(): void {
    if (isLeftToSweep(this.#env)) this.#sweepOn();
    this.#timers.push(setInterval(() => this.#checkReaders(), READER_CHECK_MS));
    if (!Number.isFinite(this.#everyMs)) return;
    this.#timers.push(
      setInterval(() => {
        this.keepClock();
        void this.#maintenance.tick();
      }, this.#everyMs),
    );
    this.#forgetProducers();
    this.#timers.push(setInterval(() => this.#forgetProducers(), PRODUCER_CHECK_MS));
  }
  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#maintenance.stop();
  }

  clean(options: CleanOptions): Promise<readonly Cleaned[]> {
    this.#forgetProducers(options.now);
    // A horizon that this cleaning has set is not in the future of the next process that cleans.
    return this.#maintenance.clean(options).finally(() => this.#saveClock());
  }
  startsMoved(places: readonly PartitionId[]): void {
    this.#maintenance.startsMoved(places);
  }
  /** Saves the clock, unless no topic ages: such a log is not written to for the sake of its clock. */
  keepClock(): void {
    if (this.#clock?.isToBeSaved() === true && this.#cleanups.someForget()) this.#saveClock();
  }
  #saveClock(): void {
    const clock = this.#clock;
    if (clock === undefined) return;
    this.#queue.addOwn(
      () => {
        clock.save(this.#env);
        return { type: 'done' };
      },
      () => {},
    );
  }
  /** The reports of cleanings that are not in the log yet. */
  get unsaved(): readonly PlacedReport[] {
    return this.#maintenance.reports.unsaved;
  }

  #checkReaders(): void {
    checkReaders(this.#env);
    this.#lookAround();
  }
  #forgetProducers(now: number = this.#cleanups.times.now()): void {
    try {
      this.#env.root.resetReadTxn();
      if (silentProducers(this.#env, now).length === 0) return;
    } catch {
      return; // Damage: the next append of the damaged producer reports it.
    }
    this.#addSweep(() => {
      applyForgetProducers(this.#env, now);
      return isLeftToSweep(this.#env);
    });
  }
  #sweepOn(): void {
    this.#addSweep(() => sweep(this.#env));
  }
  /** Adds a call that returns whether anything is left to sweep; if so, another one follows. */
  #addSweep(apply: () => boolean): void {
    this.#queue.addOwn(
      () => ({ type: 'swept', left: apply() }),
      (outcome) => {
        if (outcome.type === 'swept' && outcome.left) this.#sweepOn();
      },
    );
  }
}
