/** How much of a data file is in use. */

export interface Usage {
  /** Of the data file, up to its last page; `ls` shows more, for it is kept longer by a hole. */
  readonly fileBytes: number;
  /** What of it is in use: the pages of all tables. What a shrink would leave is less still, where pages are partly filled. */
  readonly liveBytes: number;
  /** Pages that later commits use again. */
  readonly freePages: number;
  readonly pageBytes: number;
  readonly tables: readonly TableUsage[];
  /** Bytes of batches, by topic and partition. */
  readonly partitions: readonly PartitionUsage[];
}
export interface TableUsage {
  readonly table: string;
  readonly entries: number;
  readonly bytes: number;
}
export interface PartitionUsage {
  readonly topic: string;
  readonly partition: number;
  readonly bytes: number;
}
