/** The position of an actor in its input, and the jump when the log no longer has the next records. */

/** The record that an actor was processing. */
export interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** Records that the log deleted before the actor read them. */
export interface Jump {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  readonly to: bigint;
}

/** What an actor may be inside of beside a record. */
export type OtherActivity = 'tick' | 'commit';
export type Activity =
  | { readonly type: 'record'; readonly place: Place | undefined }
  | { readonly type: 'tick' }
  /** The encoding of a commit: of `among` records, the last of which is at `place`. */
  | { readonly type: 'commit'; readonly place: Place | undefined; readonly among: number };

/** Notified of everything that calls functions of the pipeline. */
export interface Footprints {
  /** The next records are of this input and batch. */
  at(input: number, baseOffset: bigint): void;
  enter(offsetDelta: number): void;
  leave(): void;
  enterOther(activity: OtherActivity, records: number): void;
  leaveOther(): void;
}
/** For an actor that nobody watches. */
export const NO_FOOTPRINTS: Footprints = { at: () => {}, enter: () => {}, leave: () => {}, enterOther: () => {}, leaveOther: () => {} };
