/**
 * Retention and compaction of a whole folder, beside its appends: reads in slices, commits in small steps, at a pace.
 *
 * Every step is a call like any other in the writer's queue, so it shares a flush with all waiting calls. A crash between two
 * steps loses no work: the next round looks for it and does it. Only the keys of a pass are held in
 * memory, and their number is bounded. Two processes over one folder may clean at once: each step compares its batch with the one
 * that it was made from.
 */
import { setImmediate as turnOfOthers, setTimeout as sleep } from 'node:timers/promises';
import { StoplogError } from '../../pure/errors.ts';
import type { Cleaned, CleanOptions } from '../../pure/retention/cleaned.ts';
import { cleanable } from '../../pure/retention/compaction.ts';
import { Pace } from '../../pure/retention/pace.ts';
import { segmentsToForget } from '../../pure/retention/retention.ts';
import { isOfTheFuture, isOverdue } from '../../pure/retention/segment.ts';
import { readEnds } from '../tables/rows.ts';
import { type EndsInTransaction } from '../transaction/ends.ts';
import { forgets, type Cleanups, type KnownTopic } from '../tables/cleanups.ts';
import type { Env, MaintenanceOptions } from '../tables/env.ts';
import { applyRestamp, applyRetention, applyRoll, applyTrim } from './apply-cleaning.ts';
import { segmentsOf } from '../tables/segments.ts';
import { compactPass, type Hands } from './pass.ts';
import { readEveryBatch, type Found, type PartitionId } from '../tables/reader.ts';
import { Reports } from './reports.ts';
import { failpoint } from '../../failpoints/failpoint.ts';

export const MAINTENANCE: MaintenanceOptions = { everyMs: 1_000, bytesPerSecond: 32 * 1024 * 1024 };

/** The size of one step of reading or removing: a few milliseconds of the writer. */
const STEP = { batches: 8, bytes: 256 * 1024 };
/** Empty batches are small: one step reads at most this number of them. */
const MOST_READ = 512;

export class Maintenance {
  readonly #env: Env;
  readonly #cleanups: Cleanups;
  /** Applies one step in a transaction; resolves when it is committed. */
  readonly #commit: <T>(apply: (ends: EndsInTransaction) => T) => Promise<T>;
  /** The last job; jobs run one after another. */
  #last: Promise<unknown> = Promise.resolve();
  #rounds = 0;
  readonly #pace: Pace;
  #stopped = false;
  /** The first round does the work that an earlier process left. */
  #lookEverywhere = true;
  readonly #hands: Hands;
  /** Starts below which no batch is left: no transaction is opened to find that again. */
  readonly #trimmedTo = new Map<string, bigint>();
  readonly reports: Reports;

  constructor(env: Env, cleanups: Cleanups, options: MaintenanceOptions, commit: <T>(apply: (ends: EndsInTransaction) => T) => Promise<T>) {
    this.#env = env;
    this.#cleanups = cleanups;
    this.#pace = new Pace(options.bytesPerSecond);
    this.#commit = commit;
    this.reports = new Reports(env, cleanups.times.wall, commit);
    this.#hands = { env, commit, ends: (place) => this.#ends(place), read: (place, at) => this.#read(place, at), pay: (bytes) => this.#pay(bytes) };
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Called when starts were moved on command: removes the batches below them, and nothing else. */
  startsMoved(places: readonly PartitionId[]): void {
    const trims = async (): Promise<void> => {
      for (const place of places) await this.#trim(place);
    };
    // Batches that are left below a start are removed by the first round after the next opening.
    void this.#run(trims).catch(() => {});
  }

  /** Does the work that is due, unless the last round is still running; resolves at the end, and never rejects. */
  async tick(): Promise<void> {
    if (this.#rounds > 0) return;
    this.#rounds++;
    const round = async (): Promise<void> => {
      const everywhere = this.#lookEverywhere;
      this.#lookEverywhere = false;
      await this.reports.saveAgain();
      for (const topic of this.#topics()) {
        if (!everywhere && !forgets(topic.cleanup)) continue;
        await turnOfOthers();
        for (let partition = 0; partition < topic.partitions; partition++) {
          const place = { topicId: topic.id, partition };
          if (this.reports.isPaused(place)) continue;
          try {
            await this.#clean(topic, partition, this.#cleanups.times.now(), false, false);
          } catch (error) {
            if (this.#stopped) return;
            // Damage, or a full disk: appends continue, and the report gives the reason.
            await this.reports.failed(place, error);
          }
        }
      }
    };
    // Only closing ends a round early.
    await this.#run(round)
      .catch(() => {})
      .finally(() => this.#rounds--);
  }

  /** Cleans on command, due or not; throws the first error that it meets. */
  clean({ topics, roll = false, now }: CleanOptions): Promise<readonly Cleaned[]> {
    return this.#run(async () => {
      const cleaned: Cleaned[] = [];
      for (const topic of this.#topics()) {
        if (topics !== undefined && !topics.includes(topic.name)) continue;
        for (let partition = 0; partition < topic.partitions; partition++) {
          cleaned.push(await this.#clean(topic, partition, now ?? this.#cleanups.times.now(), true, roll));
        }
      }
      return cleaned;
    });
  }

  async #run<T>(job: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(job);
    this.#last = turn.catch(() => {});
    return turn;
  }
  #topics(): readonly KnownTopic[] {
    this.#checkGoing();
    this.#env.root.resetReadTxn();
    return this.#cleanups.refresh();
  }

  async #clean(topic: KnownTopic, partition: number, now: number, force: boolean, roll: boolean): Promise<Cleaned> {
    const began = performance.now();
    const { cleanup } = topic;
    const place: PartitionId = { topic: topic.name, topicId: topic.id, partition };
    const before = this.#ends(place);
    let sums = { dropped: 0, kept: 0 };
    await this.#restamp(place);
    if (roll || isOverdue(before.active, cleanup, now)) await this.#commit((ends) => applyRoll(this.#env, place, ends));
    if (segmentsToForget(segmentsOf(this.#env, place, this.#ends(place)), cleanup, now) > 0) {
      failpoint('retain.advance');
      await this.#commit((ends) => applyRetention(this.#env, place, cleanup, now, ends));
    }
    await this.#trim(place);
    let passes = 0;
    for (; cleanup.compacts; passes++) {
      const ends = this.#ends(place);
      const plan = cleanable(segmentsOf(this.#env, place, ends), ends, cleanup, now);
      const more = plan.to > plan.from;
      if (force ? !(more || (passes === 0 && plan.to > ends.start)) : !plan.due) break;
      const done = await compactPass(this.#hands, place, { start: ends.start, from: plan.from, to: plan.to, now, cleanup });
      sums = { dropped: sums.dropped + done.dropped, kept: done.kept };
      if (done.to >= plan.to) {
        passes++;
        break;
      }
    }
    const after = this.#ends(place);
    const cleaned = { topic: topic.name, partition, startBefore: before.start, start: after.start, ...sums, bytesBefore: before.bytes, bytes: after.bytes };
    await this.reports.cleaned(place, cleaned, performance.now() - began, force || passes > 0 || after.start > before.start);
    return cleaned;
  }

  /**
   * Treats segments that were stamped by a clock that ran ahead as segments of now, which age from here on. While the wall clock
   * differs from the clock of the log, it is unknown which of the two is right.
   */
  async #restamp(place: PartitionId): Promise<void> {
    const { now, isOff } = this.#cleanups.times;
    const latest = now();
    if (isOff() || !segmentsOf(this.#env, place, this.#ends(place)).some((segment) => isOfTheFuture(segment, latest))) return;
    await this.#commit((ends) => applyRestamp(this.#env, place, latest, ends));
  }

  /** Removes the batches below the start, until none is left. */
  async #trim(place: PartitionId): Promise<void> {
    if (this.#ends(place).start === 0n) return;
    const name = `${place.topicId}:${place.partition}`;
    const { start } = this.#ends(place);
    if (this.#trimmedTo.get(name) === start) return;
    for (let done = false; !done;) {
      const step = await this.#commit((ends) => applyTrim(this.#env, place, STEP, ends));
      failpoint('retain.deleted');
      done = step.done;
      await this.#pay(step.bytes);
    }
    this.#trimmedTo.set(name, start);
  }

  /** Batches from an offset on; from the start, when that has moved beyond the offset. */
  #read(place: PartitionId, at: bigint): Found {
    const { start } = this.#ends(place);
    return readEveryBatch(this.#env, place, at < start ? start : at, { bytes: STEP.bytes, batches: MOST_READ });
  }
  #ends({ topicId, partition }: PartitionId): ReturnType<typeof readEnds> {
    this.#checkGoing();
    this.#env.root.resetReadTxn();
    return readEnds(this.#env, topicId, partition);
  }
  #checkGoing(): void {
    if (this.#stopped)
      throw new StoplogError('STOPLOG_LOG_UNAVAILABLE', {}, 'the log was closed while it was being cleaned: open it and clean again; what was done is kept');
  }
  /** Waits for the time that the bytes cost. */
  async #pay(bytes: number): Promise<void> {
    const wait = this.#pace.owe(bytes);
    const began = performance.now();
    if (wait === 0) {
      await turnOfOthers();
      return;
    }
    await sleep(wait);
    this.#pace.waited(performance.now() - began);
  }
}
