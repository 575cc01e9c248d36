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

/** As LMDB counts the pages of a tree. */
export interface TreePages {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}
export const pagesOf = ({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreePages): number =>
  treeBranchPageCount + treeLeafPageCount + overflowPages;

/** The two meta pages at the beginning of the file. */
const META_PAGES = 2;

/** `trees` are all there are: of the tables, of their names and of the free pages themselves. */
export const usageOf = (
  lastPage: number,
  pageBytes: number,
  trees: readonly TreePages[],
): { readonly fileBytes: number; readonly liveBytes: number; readonly freePages: number; readonly pageBytes: number } => {
  const live = trees.reduce((sum, tree) => sum + pagesOf(tree), META_PAGES);
  return { fileBytes: (lastPage + 1) * pageBytes, liveBytes: live * pageBytes, freePages: Math.max(0, lastPage + 1 - live), pageBytes };
};
