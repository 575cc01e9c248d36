/** A finding of a checker: a mutant must be caught by its kind; the rest is for the reader of the report. */
export type FaultKind =
  | 'lost' // acknowledged, and not there
  | 'doubled' // a value is at two offsets
  | 'inconsistent offset' // two values were at one offset, at different times or for different readers
  | 'phantom' // there, and never sent
  | 'reordered' // the records of a producer are in another order than they were sent
  | 'torn' // only a part of a commit is there
  | 'skipped' // a reader went past a record
  | 'non-monotonic poll' // a reader got an offset that it had passed
  | 'aborted read' // read, and later not there; or there although its sender got an error
  | 'unseen tail' // a reader had to read to the end, and did not
  | 'stale commit' // a commit of a former owner, or from another position, was accepted
  | 'store' // a store is not the fold of the records read
  | 'output' // outputs do not match the records read
  | 'closed form' // arithmetic contradicts a count, sum, minimum or maximum
  | 'stuck'; // no progress although every fault has ended

export interface Fault {
  readonly kind: FaultKind;
  readonly what: string;
}
/** As many findings as a person reads, and the count of the rest. */
export const heard = (faults: readonly Fault[], most = 8): readonly string[] => [
  ...faults.slice(0, most).map(({ kind, what }) => `${kind}: ${what}`),
  ...(faults.length > most ? [`and ${faults.length - most} more`] : []),
];
