/**
 * Reads one page of LMDB's file without LMDB: LMDB trusts its pages, and a bit in one of them can hide the entries below it
 * or end the process. Here every number is compared with the end of the page before it is used.
 *
 *      0  u64  number of the page           24  u16 × n  where each node begins, counted from 24
 *      8  u64  transaction that wrote it
 *     16  u16  unused                       a node:  u16 u16  size of the value, or the low half of a child's number
 *     18  u16  1 branch, 2 leaf,                     u16      1 value on pages of its own, 2 tree; or the child's high bits
 *              4 overflow, 8 meta                    u16      size of the key
 *     20  u16  end of that list             then key, then value
 *     22  u16  begin of the nodes           On an overflow page 20 is a u32, its pages; the value begins at 24.
 */
export const PAGE_HEADER = 24;
export const BRANCH = 1;
export const LEAF = 2;
export const OVERFLOW = 4;
export const META = 8;
/** The bits for the kind of a page; the other bits are notes of a transaction, and a written page has none of them. */
const KINDS = 0x6f;
const NAMES: Readonly<Record<number, string>> = { [BRANCH]: 'a branch', [LEAF]: 'a leaf', [OVERFLOW]: 'an overflow page', [META]: 'a meta page' };

const NODE_HEADER = 8;
const BIG = 1;
const TREE = 2;
const BIG_BYTES = 24;

export interface PageHead {
  readonly page: number;
  readonly txn: number;
  readonly kind: number;
  readonly lower: number;
  readonly upper: number;
  /** The length of an overflow page's run. */
  readonly pages: number;
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
/** Beyond 2^53 the result is not exact, and larger than any page or transaction number. */
export const u64 = (view: DataView, at: number): number => view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;

export const headOf = (bytes: Uint8Array): PageHead => {
  const view = viewOf(bytes);
  return {
    page: u64(view, 0),
    txn: u64(view, 8),
    kind: view.getUint16(18, true) & KINDS,
    lower: view.getUint16(20, true),
    upper: view.getUint16(22, true),
    pages: view.getUint32(20, true),
  };
};

/** The fault in the header of a page that should be the `page`-th and of that kind; undefined when there is none. */
export const headProblem = (bytes: Uint8Array, page: number, kind: number): string | undefined => {
  const head = headOf(bytes);
  if (head.page !== page) return `it says it is page ${head.page}`;
  if (head.kind !== kind) return `it is ${NAMES[head.kind] ?? `of kind ${head.kind}`}, where ${NAMES[kind]} should be`;
  if (kind === OVERFLOW) return undefined;
  if (head.lower % 2 !== 0 || head.lower > head.upper || head.upper > bytes.length - PAGE_HEADER) return 'its list of nodes does not fit';
  return undefined;
};

export interface Leaf {
  readonly key: Uint8Array;
  /** The value, if it is on the page. */
  readonly value: Uint8Array | undefined;
  /** The pages of the value otherwise. */
  readonly overflow: { readonly page: number; readonly pages: number; readonly size: number } | undefined;
  readonly isTree: boolean;
}
export interface Child {
  readonly key: Uint8Array;
  readonly page: number;
}

export const countOf = (bytes: Uint8Array): number => viewOf(bytes).getUint16(20, true) >> 1;

/** The offset of the i-th node, or the fault in it. */
const nodeAt = (bytes: Uint8Array, view: DataView, i: number): number | string => {
  const at = PAGE_HEADER + view.getUint16(PAGE_HEADER + 2 * i, true);
  if (at < PAGE_HEADER + view.getUint16(22, true) || at + NODE_HEADER > bytes.length) return `its node ${i} is outside of it`;
  return at + NODE_HEADER + view.getUint16(at + 6, true) > bytes.length ? `the key of its node ${i} is longer than the page` : at;
};

/** The i-th node of a leaf with a sound header. */
export const leafAt = (bytes: Uint8Array, i: number, view: DataView = viewOf(bytes)): Leaf | string => {
  const at = nodeAt(bytes, view, i);
  if (typeof at === 'string') return at;
  const size = view.getUint32(at, true);
  const flags = view.getUint16(at + 4, true);
  const keyEnd = at + NODE_HEADER + view.getUint16(at + 6, true);
  const key = bytes.subarray(at + NODE_HEADER, keyEnd);
  if (key.length === 0) return `its node ${i} has no key`;
  if (flags !== 0 && flags !== BIG && flags !== TREE) return `its node ${i} has unknown flags`;
  if (keyEnd + (flags === BIG ? BIG_BYTES : size) > bytes.length) return `the value of its node ${i} is longer than the page`;
  if (flags !== BIG) return { key, value: bytes.subarray(keyEnd, keyEnd + size), overflow: undefined, isTree: flags === TREE };
  const overflow = { page: u64(view, keyEnd), pages: u64(view, keyEnd + 16), size };
  if (overflow.pages !== pagesFor(size, bytes.length)) return `its node ${i} has a value of ${size} bytes on ${overflow.pages} pages`;
  return { key, value: undefined, overflow, isTree: false };
};

/** The i-th child of a branch with a sound header. The key of the first child is not written. */
export const childAt = (bytes: Uint8Array, i: number, view: DataView = viewOf(bytes)): Child | string => {
  const at = nodeAt(bytes, view, i);
  if (typeof at === 'string') return at;
  const key = bytes.subarray(at + NODE_HEADER, at + NODE_HEADER + view.getUint16(at + 6, true));
  return { key, page: view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32 };
};

/** The number of overflow pages of a value. */
export const pagesFor = (size: number, pageSize: number): number => Math.floor((PAGE_HEADER - 1 + size) / pageSize) + 1;

/** Nodes fill the page without gaps from `upper` to the end: LMDB copies the bytes between by that number. */
export const spaceProblem = (bytes: Uint8Array, view: DataView = viewOf(bytes)): string | undefined => {
  const [count, upper] = [view.getUint16(20, true) >> 1, view.getUint16(22, true)];
  let least = bytes.length - PAGE_HEADER;
  for (let i = 0; i < count; i++) least = Math.min(least, view.getUint16(PAGE_HEADER + 2 * i, true));
  return least === upper ? undefined : `its nodes begin at ${least}, and it says at ${upper}`;
};
/** The same check for a page whose nodes are all sound one by one. */
export const fillProblem = (bytes: Uint8Array, view: DataView = viewOf(bytes)): string | undefined => {
  const [count, upper] = [view.getUint16(20, true) >> 1, view.getUint16(22, true)];
  let filled = 0;
  for (let i = 0; i < count; i++) filled += nodeBytes(view, PAGE_HEADER + view.getUint16(PAGE_HEADER + 2 * i, true));
  return filled === bytes.length - PAGE_HEADER - upper ? undefined : `its nodes take ${filled} of ${bytes.length - PAGE_HEADER - upper} bytes`;
};
/** The size of the node at that offset. */
const nodeBytes = (view: DataView, at: number): number => {
  const isBranch = (view.getUint16(18, true) & BRANCH) !== 0;
  const size = isBranch ? 0 : view.getUint16(at + 4, true) === BIG ? BIG_BYTES : view.getUint32(at, true);
  return evenly(NODE_HEADER + view.getUint16(at + 6, true) + size);
};

/** LMDB writes into a page that seems to be of a later commit than the last, as if it were its own copy, and crashes. */
export const noteProblem = (bytes: Uint8Array, latest: number | undefined, view: DataView = viewOf(bytes)): string | undefined => {
  const notes = view.getUint16(18, true) & ~KINDS;
  if (notes !== 0) return `it has the notes ${notes.toString(16)}, which only a page in memory has`;
  const txn = u64(view, 8);
  return latest !== undefined && txn > latest ? `it says that commit ${txn} wrote it, and the last one is ${latest}` : undefined;
};

/** True when the key and value at these offsets of a page are whole. */
export type IsWhole = (bytes: Uint8Array, keyAt: number, keyEnd: number, valueEnd: number) => boolean;

/**
 * True for a sound leaf whose header was checked and whose values are all on the page: `leafAt`'s checks of each node, keys
 * that grow, nodes that fill their space. Most leaves are sound, and this check makes no object for a node.
 */
export const isSoundLeaf = (bytes: Uint8Array, isWhole: IsWhole | undefined, view: DataView = viewOf(bytes)): boolean => {
  const count = view.getUint16(20, true) >> 1;
  const end = bytes.length;
  const begin = PAGE_HEADER + view.getUint16(22, true);
  let beforeAt = 0;
  let beforeEnd = 0;
  let filled = 0;
  let least = end;
  for (let i = 0; i < count; i++) {
    const at = PAGE_HEADER + view.getUint16(PAGE_HEADER + 2 * i, true);
    const keyAt = at + NODE_HEADER;
    if (at < begin || keyAt > end || view.getUint16(at + 4, true) !== 0) return false;
    const keyEnd = keyAt + view.getUint16(at + 6, true);
    const valueEnd = keyEnd + view.getUint32(at, true);
    if (keyEnd === keyAt || valueEnd > end) return false;
    if (i > 0 && !isBefore(view, beforeAt, beforeEnd, keyAt, keyEnd)) return false;
    if (isWhole !== undefined && !isWhole(bytes, keyAt, keyEnd, valueEnd)) return false;
    beforeAt = keyAt;
    beforeEnd = keyEnd;
    filled += evenly(valueEnd - at);
    least = Math.min(least, at);
  }
  return filled === end - begin && least === begin;
};
/** Nodes begin at even offsets. */
const evenly = (size: number): number => size + (size & 1);

/** Compares four bytes at a time: keys of a table have common prefixes. */
const isBefore = (view: DataView, a: number, aEnd: number, b: number, bEnd: number): boolean => {
  for (; a + 4 <= aEnd && b + 4 <= bEnd; a += 4, b += 4) {
    const one = view.getUint32(a);
    const other = view.getUint32(b);
    if (one !== other) return one < other;
  }
  for (; a < aEnd && b < bEnd; a++, b++) {
    const one = view.getUint8(a);
    const other = view.getUint8(b);
    if (one !== other) return one < other;
  }
  return aEnd - a < bEnd - b;
};
