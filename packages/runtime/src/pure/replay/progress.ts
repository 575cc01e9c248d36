/**
 * The progress of a rebuild: records done, records in all, their rate, and the time left at that rate.
 *
 * The rate is that of the last seconds, since the first ones go into threads and caches. The total grows while the serving version goes on.
 */
export interface RebuildProgress {
  readonly done: number;
  readonly total: number;
  /** 0 until it is known. */
  readonly perSecond: number;
  /** Undefined until it is known. */
  readonly secondsLeft: number | undefined;
}

interface Look {
  readonly at: number;
  readonly done: number;
}
const SPAN_MS = 10_000;

export class RebuildRate {
  #looks: readonly Look[] = [];

  /** `at` is in ms, by a clock that only grows. */
  look(at: number, done: number, total: number): RebuildProgress {
    const recent = this.#looks.filter((look) => at - look.at <= SPAN_MS);
    const [first] = recent;
    this.#looks = [...recent, { at, done }];
    const perSecond = first === undefined || at <= first.at ? 0 : ((done - first.done) / (at - first.at)) * 1_000;
    return { done, total, perSecond, secondsLeft: done >= total ? 0 : perSecond > 0 ? (total - done) / perSecond : undefined };
  }
}
