/** What a checker found: the kind is what a mutant is caught by, the rest is for whoever looks into it. */
export type FaultKind =
  | 'lost' // acknowledged, and not there
  | 'doubled' // one value at two offsets
  | 'inconsistent offset' // two values at one offset, at different times or to different eyes
  | 'phantom' // there, and never sent
  | 'reordered' // one producer's records in another order than it sent them
  | 'torn' // a part of one commit
  | 'skipped' // a reader went past a record
  | 'non-monotonic poll' // a reader was given an offset it had passed
  | 'aborted read' // read, and later not there; or there although its sender was told that it failed
  | 'unseen tail' // a reader was told to read to the end, and did not
  | 'stale commit' // a commit of an owner that was, or from where the group does not stand, was accepted
  | 'store' // a store that is not the fold of what was read
  | 'output' // outputs that are not those of what was read
  | 'closed form' // a count, sum, minimum or maximum that arithmetic contradicts
  | 'stuck'; // no progress although nothing is wrong any more

export interface Fault {
  readonly kind: FaultKind;
  readonly what: string;
}
/** As many as a person reads; the count of the rest. */
export const told = (faults: readonly Fault[], most = 8): readonly string[] => [
  ...faults.slice(0, most).map(({ kind, what }) => `${kind}: ${what}`),
  ...(faults.length > most ? [`and ${faults.length - most} more`] : []),
];
