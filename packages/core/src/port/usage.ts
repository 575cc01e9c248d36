/** The part of a data file that is in use. */

export interface Usage {
  /** The size of the data file, up to its last page; `ls` shows more, because a hole keeps the file longer. */
  readonly fileBytes: number;
  /** The bytes in use: the pages of all tables. A shrunk log needs still less, where pages are partly filled. */
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
