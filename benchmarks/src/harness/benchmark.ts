/**
 * What a benchmark is: a question, a sketch of the answer on the back of an envelope, a bound, and a run that measures.
 *
 * The sketch comes before the measurement and is left as it is when the measurement says otherwise: a wrong sketch is
 * something learnt. A bound is never moved to where the figure is; `limitedBy` says what stands in the way.
 */
export interface Benchmark {
  readonly question: string;
  readonly sketch: string;
  readonly bound: string;
  readonly unit: string;
  readonly durability: string;
  /** What the profile shows takes the time: said beside every figure that misses its bound. */
  readonly limitedBy: string;
  readonly run: (setting: Setting) => Promise<readonly Figure[]>;
}

/** How large a run is to be. */
export interface Setting {
  /** A look at whether it still works, in seconds; the figures mean nothing. */
  readonly quick: boolean;
  /** At the size that a statement names, however long it takes; smaller otherwise, where a benchmark says so. */
  readonly full: boolean;
  /** Pairs of ours and floor, after the warm-up. */
  readonly pairs: number;
  /** Says what is under way, on a terminal. */
  readonly tell: (what: string) => void;
}

/** One thing that was measured, as often as there were pairs. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** What an acknowledgement means on both sides. */
  readonly durability: string;
  readonly ours: readonly number[];
  /** The hand-written floor, measured in turns with ours; absent where the bound is an absolute one. */
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
