/**
 * A benchmark: a question, a sketch of the answer on the back of an envelope, a bound, and a run that measures.
 *
 * The sketch comes before the measurement and stays as it is when the measurement says otherwise: a wrong sketch teaches
 * something. A bound is never moved to the figure; `limitedBy` names the reason for a miss.
 */
export interface Benchmark {
  readonly question: string;
  readonly sketch: string;
  readonly bound: string;
  readonly unit: string;
  readonly durability: string;
  /** The largest cost in a profile: printed next to every figure that misses its bound. */
  readonly limitedBy: string;
  readonly run: (setting: Setting) => Promise<readonly Figure[]>;
}

/** The size of a run. */
export interface Setting {
  /** A check that the benchmark works, in seconds; the figures mean nothing. */
  readonly quick: boolean;
  /** At the size that a statement names, however long it takes; smaller otherwise, where a benchmark says so. */
  readonly full: boolean;
  /** Pairs of ours and floor, after the warm-up. */
  readonly pairs: number;
  /** Shows the present step on a terminal. */
  readonly report: (what: string) => void;
}

/** A measured quantity, with a value for each pair. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** The meaning of an acknowledgement on both sides. */
  readonly durability: string;
  readonly ours: readonly number[];
  /** The hand-written floor, measured alternately with ours; absent where the bound is an absolute one. */
  readonly floor?: readonly number[];
  readonly bounds: readonly Bound[];
}

/** A limit of the median of ours, or of the median ratio of ours over floor. */
export interface Bound {
  readonly of: 'ours' | 'ratio';
  readonly is: 'at least' | 'at most';
  readonly limit: number;
}

export const atLeast = (of: Bound['of'], limit: number): Bound => ({ of, is: 'at least', limit });
export const atMost = (of: Bound['of'], limit: number): Bound => ({ of, is: 'at most', limit });
