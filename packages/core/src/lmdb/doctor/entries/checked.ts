/** A batch as the check of its partition hands it on: where it is, and the numbers of its header. */
export interface CheckedPlace {
  readonly topic: string;
  readonly topicId: number;
  readonly partition: number;
  readonly compacts: boolean;
}
export interface CheckedBatch {
  readonly base: bigint;
  readonly bytes: number;
  /** -Infinity for a batch that could not be read. */
  readonly maxTimestamp: number;
}
