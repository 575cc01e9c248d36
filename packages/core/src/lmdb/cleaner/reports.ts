/**
 * The outcomes of cleanings, stored in the log by the writer: see cleaning-report.ts. A partition whose cleaning failed is
 * skipped for a while; appends continue.
 *
 * A report that cannot be stored, because the disk is full, is held here and stored later; until then the writer returns it.
 */
import { isStoplogError } from '../../pure/errors.ts';
import type { Cleaned } from '../../pure/retention/cleaned.ts';
import { afterCleaning, afterFailure, type CleaningReport } from '../../pure/retention/cleaning-report.ts';
import { decodeReport, encodeReport } from '../layout/cleaning-bytes.ts';
import { cleaningKey } from '../layout/meta.ts';
import type { EndsInTransaction } from '../transaction/ends.ts';
import type { Env } from '../tables/env.ts';
import { describeIo } from '../folder/io-errors.ts';
import type { PartitionId } from '../tables/reader.ts';
import { put, read } from '../tables/sealed.ts';

/** The time for which a partition is skipped after a failure. */
export const PAUSE_MS = 60_000;

type NumberedPartition = Pick<PartitionId, 'topicId' | 'partition'>;
export type PlacedReport = NumberedPartition & { readonly report: CleaningReport };

export class Reports {
  readonly #env: Env;
  readonly #now: () => number;
  readonly #commit: <T>(apply: (ends: EndsInTransaction) => T) => Promise<T>;
  readonly #known = new Map<string, CleaningReport>();
  readonly #unsaved = new Map<string, PlacedReport>();

  constructor(env: Env, now: () => number, commit: <T>(apply: (ends: EndsInTransaction) => T) => Promise<T>) {
    this.#env = env;
    this.#now = now;
    this.#commit = commit;
  }

  /** The reports that are not stored yet. */
  get unsaved(): readonly PlacedReport[] {
    return [...this.#unsaved.values()];
  }
  isPaused(place: NumberedPartition): boolean {
    const left = (this.#known.get(nameOf(place))?.failure?.retryAt ?? 0) - this.#now();
    // A clock that was set back must not make a pause of a day.
    return left > 0 && left <= PAUSE_MS;
  }
  /** `worked`: the cleaning had an effect, or was requested. A cleaning without work only ends a failure, and is not reported otherwise. */
  async cleaned(place: NumberedPartition, cleaned: Cleaned, tookMs: number, worked: boolean): Promise<void> {
    const before = this.#before(place);
    if (worked) await this.#save({ ...place, report: afterCleaning(cleaned, this.#now(), tookMs) });
    else if (before.failure !== undefined) await this.#save({ ...place, report: { last: before.last } });
  }
  async failed(place: NumberedPartition, error: unknown): Promise<void> {
    const reported = describeIo(this.#env.path, error);
    // The topic was deleted during the cleaning: there is nothing to report.
    if (isStoplogError(reported) && reported.code === 'STOPLOG_TOPIC_UNKNOWN') return;
    await this.#save({ ...place, report: afterFailure(this.#before(place), reported, this.#now(), PAUSE_MS) });
  }
  /** Stores the reports that could not be stored before. */
  async saveAgain(): Promise<void> {
    for (const placed of this.unsaved) await this.#save(placed);
  }

  #before(place: NumberedPartition): CleaningReport {
    const known = this.#known.get(nameOf(place));
    if (known !== undefined) return known;
    let found: CleaningReport = {};
    try {
      const bytes = read(this.#env, 'meta', cleaningKey(place.topicId, place.partition));
      if (bytes !== undefined) found = decodeReport(bytes);
    } catch {
      // Damaged: the next report replaces it.
    }
    this.#known.set(nameOf(place), found);
    return found;
  }
  async #save(placed: PlacedReport): Promise<void> {
    const { topicId, partition, report } = placed;
    const name = nameOf(placed);
    this.#known.set(name, report);
    this.#unsaved.set(name, placed);
    try {
      await this.#commit((ends) => {
        // Throws when the topic was deleted meanwhile: its reports were deleted with it.
        ends.get(topicId, partition);
        put(this.#env, 'meta', cleaningKey(topicId, partition), encodeReport(report));
      });
    } catch (error) {
      if (!isStoplogError(error) || error.code !== 'STOPLOG_TOPIC_UNKNOWN') return;
    }
    if (this.#unsaved.get(name) === placed) this.#unsaved.delete(name);
  }
}

const nameOf = ({ topicId, partition }: NumberedPartition): string => `${topicId}:${partition}`;
