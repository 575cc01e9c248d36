/** What a cleaning on command is asked to do, and what it tells of each partition. */
export interface CleanOptions {
  /** Only these topics; all when left out. */
  readonly topics?: readonly string[] | undefined;
  /** Closes the active segments first: then nothing but what is too young is left alone. */
  readonly roll?: boolean | undefined;
  /** The time by which ages are measured; now, when left out. */
  readonly now?: number | undefined;
}

export interface Cleaned {
  readonly topic: string;
  readonly partition: number;
  /** Where the partition started before, and starts now: retention took what lies between. */
  readonly startBefore: bigint;
  readonly start: bigint;
  /** Records that compaction went through: left out, and left in. */
  readonly dropped: number;
  readonly kept: number;
  readonly bytesBefore: number;
  readonly bytes: number;
}
