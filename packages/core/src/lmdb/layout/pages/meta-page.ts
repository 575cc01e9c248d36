/**
 * The meta pages: the root of a snapshot. Commit n writes page n mod 2, and then a copy half a page further on, which says
 * that the commit is on the disk; LMDB starts from that copy after a power cut.
 *
 *     24  u32  beefc0de                48  tree of the free list       144  u64  last page
 *     28  u32  version of the format   96  tree of the tables          152  u64  transaction
 *                                                                     160  u64  when the machine was started
 *
 * A tree, 48 bytes: u32 page size (free list only) · u16 flags · u16 depth · u64 branches · u64 leaves · u64 overflow pages ·
 * u64 entries · u64 root, all ones when it is empty.
 */
import { headProblem, META, PAGE_HEADER, u64, viewOf } from './page.ts';

export const META_MAGIC = 0xbeefc0de;
export const META_BYTES = 168;
const EMPTY = 2 ** 64;

export interface Tree {
  /** The layout of its keys and values. */
  readonly flags: number;
  readonly depth: number;
  readonly branches: number;
  readonly leaves: number;
  readonly overflows: number;
  readonly entries: number;
  /** undefined when the tree is empty. */
  readonly root: number | undefined;
}
/** The state of one commit: every page that is reached from it belongs to it. */
export interface Snapshot {
  readonly txn: number;
  readonly pageSize: number;
  readonly lastPage: number;
  readonly free: Tree;
  readonly main: Tree;
  /** The number of the machine's boot in which the commit was written. */
  readonly boot: number;
}

/** LMDB's flag in the free list of a commit whose pages were not flushed before its meta page was written. */
const UNFLUSHED = 0x1000;
/** The flags for the layout of keys and values: numbers, duplicates, in reverse. */
const LAYOUT = 0x7e;
const NUMBERS = 0x08;
/** The fault in the flags of a tree of ours, or of the free list. */
export const flagsProblem = ({ flags }: Tree, isFreeList = false): string | undefined =>
  (flags & LAYOUT) === (isFreeList ? NUMBERS : 0) ? undefined : `the flags of ${isFreeList ? 'the free list' : 'a tree'} read ${flags.toString(16)}`;

export const TREE_BYTES = 48;
export const treeOf = (bytes: Uint8Array): Tree => {
  const view = viewOf(bytes);
  const root = u64(view, 40);
  return {
    flags: view.getUint16(4, true),
    depth: view.getUint16(6, true),
    branches: u64(view, 8),
    leaves: u64(view, 16),
    overflows: u64(view, 24),
    entries: u64(view, 32),
    root: root >= EMPTY ? undefined : root,
  };
};

/** A meta page from its first bytes, or the reason why it is malformed. */
export const metaOf = (bytes: Uint8Array, index: number): Snapshot | string => {
  if (bytes.length < META_BYTES) return 'the file ends in it';
  if (!hasMagic(bytes)) return 'it has no magic number';
  const head = headProblem(bytes, index, META);
  if (head !== undefined && !head.startsWith('its list')) return head;
  return snapshotIn(bytes);
};
/** The copy of the last flushed commit, at half a page. */
export const flushedOf = (bytes: Uint8Array): Snapshot | string => (bytes.length < META_BYTES ? 'the file ends in it' : snapshotIn(bytes));

export const hasMagic = (bytes: Uint8Array): boolean => viewOf(bytes).getUint32(24, true) === META_MAGIC;
export const pageSizeOf = (bytes: Uint8Array): number => viewOf(bytes).getUint32(48, true);
export const pageSizeProblem = (pageSize: number): string | undefined =>
  pageSize < 256 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0 ? `its page size reads ${pageSize}` : undefined;
const txnOf = (bytes: Uint8Array): number => u64(viewOf(bytes), 152);
const lastPageOf = (bytes: Uint8Array): number => u64(viewOf(bytes), 144);
/** The number of the last commit in the file: the larger of the two meta pages. */
export const lastCommit = (first: Uint8Array, second: Uint8Array): number => Math.max(txnOf(first), txnOf(second));
/** The length of the file that its last commit needs, as the newer meta page says. */
export const neededBytes = (first: Uint8Array, second: Uint8Array): number => {
  const newest = txnOf(second) > txnOf(first) ? second : first;
  return (lastPageOf(newest) + 1) * pageSizeOf(newest);
};

const snapshotIn = (bytes: Uint8Array): Snapshot | string => {
  const pageSize = pageSizeOf(bytes);
  const problem = pageSizeProblem(pageSize);
  if (problem !== undefined) return problem;
  const at = { free: PAGE_HEADER + 24, main: PAGE_HEADER + 24 + TREE_BYTES };
  const snapshot: Snapshot = {
    txn: txnOf(bytes),
    pageSize,
    lastPage: lastPageOf(bytes),
    free: treeOf(bytes.subarray(at.free, at.free + TREE_BYTES)),
    main: treeOf(bytes.subarray(at.main, at.main + TREE_BYTES)),
    boot: u64(viewOf(bytes), 160),
  };
  for (const tree of [snapshot.free, snapshot.main]) if (tree.root !== undefined && tree.root > snapshot.lastPage) return 'it points past its own last page';
  return snapshot;
};

export interface Metas {
  /** The commit that LMDB opens; undefined when neither page can be read. */
  readonly newest: Snapshot | undefined;
  /** The other readable commits, the newer first. */
  readonly others: readonly Snapshot[];
  /** The copy of the last acknowledged commit; undefined when it cannot be read. */
  readonly flushed: Snapshot | undefined;
  /** Sentences, with the number of the page. */
  readonly problems: readonly { readonly page: number; readonly what: string }[];
}

/** Reads both meta pages and the flushed copy of a file from their first bytes. */
export const metasOf = (first: Uint8Array, second: Uint8Array, half: Uint8Array): Metas => {
  const found = [metaOf(first, 0), metaOf(second, 1)];
  const copy = flushedOf(half);
  const problems = found.flatMap((meta, page) => (typeof meta === 'string' ? [{ page, what: meta }] : []));
  const whole = found.filter((meta): meta is Snapshot => typeof meta !== 'string');
  // Commits write them alternately, so that they are one commit apart; parity shows which of the two is wrong.
  const [a, b] = found as [Snapshot | string, Snapshot | string];
  if (typeof a !== 'string' && typeof b !== 'string') {
    if (Math.abs(a.txn - b.txn) > 1)
      for (const [page, { txn }] of [a, b].entries()) if (txn % 2 !== page || txn > 2 ** 53) problems.push({ page, what: `it says commit ${txn}` });
    if (Math.abs(a.txn - b.txn) > 1 && problems.length === 0)
      problems.push({ page: a.txn > b.txn ? 0 : 1, what: `it says commit ${Math.max(a.txn, b.txn)}, and the other ${Math.min(a.txn, b.txn)}` });
    // Equal meta pages belong to a file without a commit.
    else for (const [page, { txn }] of [a, b].entries()) if (txn % 2 !== page && txn > 0) problems.push({ page, what: `it says commit ${txn}` });
    if (a.pageSize !== b.pageSize) problems.push({ page: 1, what: `its page size reads ${b.pageSize}, that of the other ${a.pageSize}` });
    for (const [page, { main, free }] of [a, b].entries()) {
      const what = flagsProblem(main) ?? flagsProblem(free, true);
      if (what !== undefined) problems.push({ page, what });
    }
    const newer = Math.max(a.txn, b.txn);
    if (typeof copy !== 'string' && copy.txn > newer && problems.length === 0)
      problems.push({ page: copy.txn % 2, what: `commit ${copy.txn} was flushed, and the newer of the two meta pages says ${newer}` });
  }
  // The copy is empty before the first commit is flushed.
  if (typeof copy === 'string' && half.subarray(0, META_BYTES).some((byte) => byte !== 0)) problems.push({ page: 0, what: `in its second half, ${copy}` });
  const byAge = [...whole].sort((x, y) => y.txn - x.txn);
  const newest = byAge[0];
  if (newest !== undefined && typeof copy !== 'string' && copy.txn === newest.txn && problems.length === 0 && !isSame(copy, newest))
    problems.push({ page: 0, what: `the copy of commit ${copy.txn} in its second half differs from the page of that commit` });
  const flushed = typeof copy === 'string' ? undefined : copy;
  const others = [...byAge.slice(1), ...(flushed === undefined ? [] : [flushed])].sort((x, y) => y.txn - x.txn);
  return { newest, others, flushed, problems };
};

/** True when two snapshots are equal, except for the time of their flush. */
const isSame = (a: Snapshot, b: Snapshot): boolean => JSON.stringify(reported(a)) === JSON.stringify(reported(b));
const reported = ({ free, ...snapshot }: Snapshot): object => ({ ...snapshot, boot: 0, free: { ...free, flags: free.flags & ~UNFLUSHED } });

/**
 * The commit that LMDB opens first: the newest one, if the machine has not restarted since or if its pages were flushed
 * before it; otherwise the last flushed one, since some pages of later commits may be missing.
 */
export const openedOf = ({ newest, others, flushed }: Metas, boot: number): Snapshot | undefined => {
  const [older] = others.filter((one) => one !== flushed);
  if (newest === undefined || older === undefined) return newest;
  const before = earlierOf(newest, older, boot);
  return flushed === undefined || flushed.txn === 0 ? before : flushed.txn > before.txn ? earlierOf(flushed, before, boot) : earlierOf(before, flushed, boot);
};
const earlierOf = (later: Snapshot, earlier: Snapshot, boot: number): Snapshot =>
  (later.boot !== 0 && later.boot === boot) || (later.free.flags & UNFLUSHED) === 0 ? later : earlier;
