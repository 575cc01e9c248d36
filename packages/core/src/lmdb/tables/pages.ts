/** Counts the pages of a data file: used, free, and per tree. */

/** The pages of a tree, as LMDB counts them. */
export interface TreePages {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}
export const pagesOf = ({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreePages): number =>
  treeBranchPageCount + treeLeafPageCount + overflowPages;

/** The two meta pages at the beginning of the file. */
const META_PAGES = 2;

/** `trees` are all: of the tables, of their names and of the free pages themselves. */
export const usageOf = (
  lastPage: number,
  pageBytes: number,
  trees: readonly TreePages[],
): { readonly fileBytes: number; readonly liveBytes: number; readonly freePages: number; readonly pageBytes: number } => {
  const live = trees.reduce((sum, tree) => sum + pagesOf(tree), META_PAGES);
  return { fileBytes: (lastPage + 1) * pageBytes, liveBytes: live * pageBytes, freePages: Math.max(0, lastPage + 1 - live), pageBytes };
};
