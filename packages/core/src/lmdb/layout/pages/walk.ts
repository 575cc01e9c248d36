/**
 * Walks a tree of pages in the order of its keys, from any key on. The walk ends whatever the pages say.
 *
 * A page must match the page above it: its number, its kind by its depth, its keys between the two keys around it. A mismatch
 * is yielded as `broken`, with the keys between which it hides entries, and the walk continues after it. The yielded keys and
 * values are views of the bytes that `read` returned.
 */
import {
  BRANCH,
  childAt,
  countOf,
  fillProblem,
  headOf,
  headProblem,
  isSoundLeaf,
  LEAF,
  leafAt,
  noteProblem,
  OVERFLOW,
  PAGE_HEADER,
  spaceProblem,
  viewOf,
  type IsWhole,
  type Leaf,
} from './page.ts';
import type { Tree } from './meta-page.ts';

/** The bytes of `count` pages; undefined when the file ends before them. */
export type ReadPages = (page: number, count: number) => Uint8Array | undefined;

export interface Entry {
  readonly type: 'entry';
  readonly key: Uint8Array;
  /** Empty when values were not requested and the value is on pages of its own. */
  readonly value: Uint8Array;
  readonly isTree: boolean;
  readonly page: number;
}
export interface Broken {
  readonly type: 'broken';
  readonly page: number;
  readonly what: string;
  /** Keys between these two, exclusive, may be missing; undefined means from the first key on, or up to the last. */
  readonly after: Uint8Array | undefined;
  readonly before: Uint8Array | undefined;
  /** No entry is missing because of it. */
  readonly hidesNothing: boolean;
}
export type Walked = Entry | Broken;

export interface Space {
  readonly pageSize: number;
  readonly lastPage: number;
  /** The last commit that wrote one of the pages. */
  readonly txn?: number;
}
export interface WalkOptions {
  /** The first key to be yielded. */
  readonly from?: Uint8Array;
  /** false: pages of large values are not read; `heads`: only the header of the first of them is read. */
  readonly values?: boolean | 'heads';
  /**
   * Called with the number of entries of a sound leaf with all values on it, instead of walking them. `isWhole` checks each
   * entry.
   */
  readonly sound?: { readonly isWhole: IsWhole | undefined; readonly entries: (count: number) => void };
  /** Called for each sound page; returns false when the page was visited before. */
  readonly visit?: (page: number, count: number, kind: number) => boolean;
  readonly compare?: (a: Uint8Array, b: Uint8Array) => number;
}

interface PlacedPage {
  readonly page: number;
  readonly lower: Uint8Array | undefined;
  readonly upper: Uint8Array | undefined;
  readonly depth: number;
}

export const compareKeys = (a: Uint8Array, b: Uint8Array): number => {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
};
/** Keys of the free list are numbers in the machine's byte order. */
export const compareNumbers = (a: Uint8Array, b: Uint8Array): number => {
  for (let i = 7; i >= 0; i--) if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) - (b[i] ?? 0);
  return a.length - b.length;
};

const MOST_DEPTH = 32;

export function* walk(read: ReadPages, tree: Tree, space: Space, options: WalkOptions = {}): Generator<Walked, void> {
  const { from, values = true, visit, compare = compareKeys, sound } = options;
  if (tree.root === undefined) return;
  let last: Uint8Array | undefined;
  const broken = (page: number, what: string, after: Uint8Array | undefined, before: Uint8Array | undefined, hidesNothing = false): Broken => ({
    type: 'broken',
    page,
    what,
    after: last !== undefined && (after === undefined || compare(last, after) > 0) ? last : after,
    before,
    hidesNothing,
  });
  if (tree.depth < 1 || tree.depth > MOST_DEPTH) return yield broken(tree.root, `its tree is ${tree.depth} deep`, undefined, undefined);
  // The next page is at the end.
  const places: PlacedPage[] = [{ page: tree.root, lower: undefined, upper: undefined, depth: 1 }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { page, lower, upper, depth } = place;
    if (from !== undefined && upper !== undefined && compare(upper, from) <= 0) continue;
    if (page < 2 || page > space.lastPage) {
      yield broken(page, 'a branch leads to it, and there is no such page', lower, upper);
      continue;
    }
    const bytes = read(page, 1);
    const kind = depth === tree.depth ? LEAF : BRANCH;
    const problem = bytes === undefined ? 'the file ends before it' : headProblem(bytes, page, kind);
    if (bytes === undefined || problem !== undefined) {
      yield broken(page, problem!, lower, upper);
      continue;
    }
    if (visit?.(page, 1, kind) === false) {
      yield broken(page, 'it is reached twice', lower, upper);
      continue;
    }
    const view = viewOf(bytes);
    const count = countOf(bytes);
    const note = noteProblem(bytes, space.txn, view);
    if (note !== undefined) yield broken(page, note, lower, upper, true);
    if (sound !== undefined && kind === LEAF && count > 0 && isSoundLeaf(bytes, sound.isWhole, view)) {
      const [first, final] = [leafAt(bytes, 0, view) as Leaf, leafAt(bytes, count - 1, view) as Leaf];
      const isInOrder = (lower === undefined || compare(first.key, lower) >= 0) && (last === undefined || compare(first.key, last) > 0);
      if (isInOrder && (upper === undefined || compare(final.key, upper) < 0)) {
        last = final.key;
        sound.entries(count);
        continue;
      }
    }
    const misfit = spaceProblem(bytes, view);
    if (misfit !== undefined) yield broken(page, misfit, lower, upper, true);
    if (kind === BRANCH) {
      if (count === 0) yield broken(page, 'it is a branch without children', lower, upper);
      const children = childrenOf(bytes, place, count, compare);
      const unfilled = misfit === undefined && children.every((child) => child.page >= 0) ? fillProblem(bytes, view) : undefined;
      if (unfilled !== undefined) yield broken(page, unfilled, lower, upper, true);
      places.push(...children);
      continue;
    }
    let isRight = misfit === undefined;
    for (let i = 0; i < count; i++) {
      const leaf = leafAt(bytes, i, view);
      if (typeof leaf === 'string') {
        isRight = false;
        yield broken(page, leaf, lower, keyAfter(bytes, i, count) ?? upper);
        continue;
      }
      const { key } = leaf;
      if (
        (lower !== undefined && compare(key, lower) < 0) ||
        (upper !== undefined && compare(key, upper) >= 0) ||
        (last !== undefined && compare(key, last) <= 0)
      ) {
        isRight = false;
        yield broken(page, `the key of its node ${i} is out of order`, lower, upper);
        continue;
      }
      if (from !== undefined && compare(key, from) < 0) continue;
      if (leaf.overflow !== undefined) {
        const { page: first, pages } = leaf.overflow;
        const outside = first < 2 || first + pages - 1 > space.lastPage;
        const twice = !outside && visit?.(first, pages, OVERFLOW) === false;
        const value = outside || values === false ? undefined : read(first, values === 'heads' ? 1 : pages);
        const wrong = outside
          ? 'a leaf leads to it, and there is no such page'
          : twice
            ? 'it is reached twice'
            : values !== false
              ? overflowProblem(value, first, pages, space.txn)
              : undefined;
        if (wrong !== undefined) yield broken(first, wrong, key, key, value !== undefined);
        last = key;
        yield { type: 'entry', key, value: valueIn(values === true ? value : undefined, leaf), isTree: false, page };
        continue;
      }
      last = key;
      yield { type: 'entry', key, value: leaf.value!, isTree: leaf.isTree, page };
    }
    const unfilled = isRight ? fillProblem(bytes, view) : undefined;
    if (unfilled !== undefined) yield broken(page, unfilled, lower, upper, true);
  }
}

const valueIn = (bytes: Uint8Array | undefined, { overflow }: Leaf): Uint8Array =>
  bytes === undefined ? new Uint8Array(0) : bytes.subarray(PAGE_HEADER, PAGE_HEADER + overflow!.size);

const overflowProblem = (bytes: Uint8Array | undefined, page: number, pages: number, latest: number | undefined): string | undefined => {
  if (bytes === undefined) return 'the file ends before it';
  const problem = headProblem(bytes, page, OVERFLOW) ?? noteProblem(bytes, latest);
  if (problem !== undefined) return problem;
  const said = headOf(bytes).pages;
  return said === pages ? undefined : `it says it has ${said} pages, and its leaf says ${pages}`;
};

const keyAfter = (bytes: Uint8Array, i: number, count: number): Uint8Array | undefined => {
  for (let n = i + 1; n < count; n++) {
    const next = leafAt(bytes, n);
    if (typeof next !== 'string') return next.key;
  }
  return undefined;
};

/** The children with the keys around them, the last one first; an unreadable child becomes a page that does not exist. */
const childrenOf = (bytes: Uint8Array, { lower, upper, depth }: PlacedPage, count: number, compare: (a: Uint8Array, b: Uint8Array) => number): PlacedPage[] => {
  const view = viewOf(bytes);
  const nodes = Array.from({ length: count }, (_, i) => childAt(bytes, i, view));
  const bounds: (Uint8Array | undefined)[] = [];
  let low = lower;
  for (const [i, node] of nodes.entries()) {
    // A separator out of order is no bound.
    if (i > 0 && typeof node !== 'string' && (low === undefined || compare(node.key, low) > 0) && (upper === undefined || compare(node.key, upper) < 0))
      low = node.key;
    else if (i > 0) nodes[i] = typeof node === 'string' ? node : 'its key is out of order';
    bounds.push(low);
  }
  const places: PlacedPage[] = [];
  let next = upper;
  for (let i = count - 1; i >= 0; i--) {
    const node = nodes[i]!;
    if (i < count - 1 && bounds[i + 1] !== bounds[i]) next = bounds[i + 1];
    places.push({ page: typeof node === 'string' ? -1 : node.page, lower: bounds[i], upper: next, depth: depth + 1 });
  }
  return places;
};
