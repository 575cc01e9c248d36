/** The request for a cleaning on command, and its result for each partition. */
export interface CleanOptions {
  /** Only these topics; all when left out. */
  readonly topics?: readonly string[] | undefined;
  /** Closes the active segments first: then only records that are too young stay. */
  readonly roll?: boolean | undefined;
  /** The time from which ages are measured; now, when left out. */
  readonly now?: number | undefined;
}

export interface Cleaned {
  readonly topic: string;
  readonly partition: number;
  /** The start of the partition before and now: retention removed the offsets between. */
  readonly startBefore: bigint;
  readonly start: bigint;
  /** The records that compaction read: removed, and kept. */
  readonly dropped: number;
  readonly kept: number;
  readonly bytesBefore: number;
  readonly bytes: number;
}
