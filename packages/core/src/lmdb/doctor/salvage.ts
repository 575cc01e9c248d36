/**
 * Finds the provable entries of a damaged file: the ones that its trees lead to, and the ones on pages that no tree leads to.
 *
 * Every page of a commit is in a tree or free. So when the free list is whole, the pages that are in neither are leaked by
 * the damage, and hold nothing older: a batch or value there with matching checksums belongs to the log as it was. When the
 * free list is damaged too, these pages may hold deleted entries: then the latest of each is taken, and the report says so.
 */
import { DATA } from '../../pure/log/finding.ts';
import { StoplogError } from '../../pure/errors.ts';
import { TABLES, type Table } from '../layout/keyspace.ts';
import { runsIn } from '../layout/pages/free-list.ts';
import { looseNodes } from '../layout/pages/loose-nodes.ts';
import { META_BYTES, metaOf, type Snapshot, type Tree } from '../layout/pages/meta-page.ts';
import { headOf, LEAF, META, OVERFLOW, PAGE_HEADER, pagesFor } from '../layout/pages/page.ts';
import { compareNumbers, walk } from '../layout/pages/walk.ts';
import type { KeyGap } from './entries/group-loss.ts';
import { HEADER_SIZE, openBatch, type BatchView } from '../../pure/record/batch.ts';
import { asBuffer, openSealed, unlessDamaged } from './opened.ts';
import { tablesOf, type PageFile } from './page-file.ts';

export interface Sealed {
  readonly key: Buffer;
  /** Without its seal. */
  readonly value: Buffer;
}
export interface Orphans {
  /** False when the free list is damaged, so that these may be deleted entries. The latest come first. */
  readonly areProven: boolean;
  readonly batches: readonly BatchView[];
  /** Entries of any table, by the form of their keys. */
  readonly sealed: readonly Sealed[];
  /** Bytes of the pages whose entries were not found: pages after the end of the file, and pages that no tree leads to. */
  readonly hidden: number;
}

export class Salvage {
  readonly snapshot: Snapshot;
  /** False when the root of the last commit is damaged, so that this commit is, or may be, an earlier one. */
  readonly isLatest: boolean;
  readonly tables: ReadonlyMap<string, Tree>;
  readonly #file: PageFile;
  readonly #gaps = new Map<Table, KeyGap[]>();
  readonly #found = new Map<Table, number>();
  readonly #suspects = new Set<number>();
  #freeListHolds = true;
  /** The last page of the latest readable snapshot. */
  readonly #lastPage: number;

  constructor(file: PageFile) {
    const metas = file.metas();
    this.#file = file;
    const candidates = [
      ...(metas.newest === undefined ? [] : [metas.newest]),
      ...metas.others,
      ...(metas.problems.length === 0 ? [] : strayMetas(file)),
    ].filter(({ pageSize }) => pageSize === file.pageSize);
    const judged = candidates.map((snapshot) => ({ snapshot, tables: tablesOf(walk(this.#read, snapshot.main, snapshot)) }));
    judged.sort((a, b) => ours(b.tables) - ours(a.tables) || b.snapshot.txn - a.snapshot.txn);
    const [best] = judged;
    if (best === undefined) {
      throw new StoplogError(
        'STOPLOG_LOG_CORRUPT',
        { file: DATA, reason: 'no meta page' },
        'neither meta page of the data file can be read, so nothing in it can be proved: restore the folder from a backup',
      );
    }
    this.snapshot = best.snapshot;
    this.tables = best.tables;
    // A commit is acknowledged once the copy of its meta page is on the disk: the commit that the copy names is the last one
    // anybody relied on.
    const { txn } = best.snapshot;
    this.isLatest = judged.every(({ snapshot }) => snapshot.txn <= txn) && (metas.problems.length === 0 || metas.flushed?.txn === txn);
    this.#lastPage = Math.max(...judged.map(({ snapshot }) => snapshot.lastPage));
  }
  readonly #read = (page: number, count: number): Uint8Array | undefined => this.#file.page(page, count);

  /** Entries of a table with matching seals; afterwards `gaps` has the missing ones. */
  *sealed(table: Table): Generator<Sealed, void> {
    this.#found.set(table, 0);
    this.#gaps.delete(table);
    for (const [key, value] of this.#entries(table)) {
      const opened = openSealed(table, key, value);
      if (opened === undefined) this.#miss(table, { after: key, before: key });
      else {
        this.#found.set(table, (this.#found.get(table) ?? 0) + 1);
        yield { key, value: opened };
      }
    }
  }
  /** Whole batches, wherever their keys say they are: their headers have a checksum too. */
  *batches(): Generator<BatchView, void> {
    for (const [key, value] of this.#entries('log')) {
      const view = openWhole(value);
      if (view === undefined) this.#miss('log', { after: key, before: key });
      else {
        this.foundAgain('log');
        yield view;
      }
    }
  }
  /** Counts a leaked entry of this table. */
  foundAgain(table: Table): void {
    this.#found.set(table, (this.#found.get(table) ?? 0) + 1);
  }
  gaps(table: Table): readonly KeyGap[] {
    return this.#gaps.get(table) ?? [];
  }
  /** The number of a table's entries that were not found; undefined when no page says how many there were. */
  missing(table: Table): number | undefined {
    const tree = this.tables.get(table);
    return tree === undefined ? undefined : Math.max(0, tree.entries - (this.#found.get(table) ?? 0));
  }

  /** The entries on the pages that damage has leaked; call it after the tables were read. */
  orphans(): Orphans {
    const account = this.#file.account(this.snapshot);
    const visit = (page: number, count: number): boolean => account.use(page, count);
    const trees = [this.snapshot.main, ...this.tables.values()];
    for (const tree of trees)
      for (const item of walk(this.#read, tree, this.snapshot, { visit, values: false })) if (item.type === 'broken') this.#suspects.add(item.page);
    for (const item of walk(this.#read, this.snapshot.free, this.snapshot, { visit, compare: compareNumbers })) {
      const runs = item.type === 'broken' ? 'damaged' : runsIn(item.value, this.snapshot.lastPage);
      if (typeof runs === 'string') this.#freeListHolds = false;
      else for (const { page, pages } of runs) account.free(page, pages);
    }
    const pages = new Set([...account.lost(), ...[...this.#suspects].filter((page) => !account.isFree(page))]);
    const sources = this.#freeListHolds ? [...pages] : this.#latestFirst(pages);
    const batches: BatchView[] = [];
    const sealed: Sealed[] = [];
    for (const page of sources) {
      const bytes = this.#read(page, 1);
      if (bytes === undefined) continue;
      for (const { key, value, overflow } of looseNodes(bytes)) {
        // A value on other pages must not have been freed since.
        const isHere = overflow === undefined || !account.isFree(overflow.page);
        const found =
          value ??
          (isHere && overflow !== undefined && overflow.page + overflow.pages - 1 <= this.snapshot.lastPage
            ? this.#read(overflow.page, overflow.pages)
            : undefined);
        if (found === undefined) continue;
        const whole = value ?? found.subarray(PAGE_HEADER, PAGE_HEADER + overflow!.size);
        const view = openWhole(whole);
        const opened = view === undefined ? openSealed('meta', asBuffer(key), asBuffer(whole)) : undefined;
        if (view !== undefined) batches.push(view);
        else if (opened !== undefined) sealed.push({ key: asBuffer(key), value: opened });
      }
      const view = headOf(bytes).kind === OVERFLOW ? this.#overflowBatch(page, bytes) : undefined;
      if (view !== undefined) batches.push(view);
    }
    // A later commit wrote where pages were free.
    const hidden = this.isLatest ? pages.size : this.#lastPage + 1;
    return { batches, sealed, areProven: this.#freeListHolds, hidden: hidden * this.#file.pageSize };
  }

  /**
   * Sealed entries that look like ends, on any page written after a commit, in use or not: they show how far the log once
   * reached.
   */
  *endsAfter(txn: number): Generator<Sealed, void> {
    const pages = Math.floor(this.#file.size / this.#file.pageSize);
    for (let page = 2; page < pages; page++) {
      const bytes = this.#read(page, 1);
      if (bytes === undefined || headOf(bytes).kind !== LEAF || headOf(bytes).txn <= txn) continue;
      for (const { key, value } of looseNodes(bytes)) {
        const opened = key.length !== 8 || value === undefined ? undefined : openSealed('ends', asBuffer(key), asBuffer(value));
        if (opened !== undefined) yield { key: asBuffer(key), value: opened };
      }
    }
  }

  #latestFirst(pages: Iterable<number>): readonly number[] {
    const txnOf = (page: number): number => {
      const bytes = this.#read(page, 1);
      return bytes === undefined ? 0 : headOf(bytes).txn;
    };
    return [...pages]
      .map((page) => [page, txnOf(page)] as const)
      .sort(([, a], [, b]) => b - a)
      .map(([page]) => page);
  }
  *#entries(table: Table): Generator<readonly [Buffer, Buffer], void> {
    const tree = this.tables.get(table);
    if (tree === undefined) return this.#miss(table, { after: undefined, before: undefined });
    for (const item of walk(this.#read, tree, this.snapshot)) {
      if (item.type === 'entry') yield [asBuffer(item.key), asBuffer(item.value)];
      else {
        this.#suspects.add(item.page);
        if (!item.hidesNothing) this.#miss(table, item);
      }
    }
  }
  #miss(table: Table, { after, before }: KeyGap): void {
    this.#gaps.set(table, [...this.gaps(table), { after, before }]);
  }
  #overflowBatch(page: number, first: Uint8Array): BatchView | undefined {
    try {
      const header = first.subarray(PAGE_HEADER, PAGE_HEADER + HEADER_SIZE);
      const size = HEADER_SIZE + Buffer.from(header).readUInt32LE(48);
      const bytes = size > this.#file.size ? undefined : this.#read(page, pagesFor(size, this.#file.pageSize));
      return bytes === undefined ? undefined : openWhole(bytes.subarray(PAGE_HEADER, PAGE_HEADER + size));
    } catch {
      return undefined;
    }
  }
}

const ours = (tables: ReadonlyMap<string, Tree>): number => TABLES.filter((table) => tables.has(table)).length;

/** Meta pages in a wrong place. */
const strayMetas = (file: PageFile): readonly Snapshot[] => {
  const found: Snapshot[] = [];
  for (let page = 0; page < Math.floor(file.size / file.pageSize); page++) {
    const bytes = file.page(page, 1);
    if (bytes === undefined || headOf(bytes).kind !== META) continue;
    const half = file.pageSize / 2;
    for (const at of [0, half]) {
      const index = headOf(bytes).page;
      const meta = at === 0 ? metaOf(bytes.subarray(0, META_BYTES), index) : metaOf(withHead(bytes, half), index);
      if (typeof meta !== 'string') found.push(meta);
    }
  }
  return found;
};
/** The flushed copy has neither page header nor magic number of its own: it uses the ones of its page. */
const withHead = (page: Uint8Array, at: number): Uint8Array =>
  Buffer.concat([page.subarray(0, PAGE_HEADER + 8), page.subarray(at + PAGE_HEADER + 8, at + META_BYTES)]);

const openWhole = (bytes: Uint8Array): BatchView | undefined => unlessDamaged(() => openBatch(bytes));
