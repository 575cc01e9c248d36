/**
 * Checks the pages of a file: walks every tree from its root, and counts that every page is used once or free. Ignores
 * values.
 *
 * The count of all pages holds for one commit only. Where commits come faster than the walk is done, the trees are walked
 * piece by piece instead, each piece within one commit, and the count is left out, with a note.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { keyPlaces } from './entries/key-places.ts';
import { finding, type Finding, type Places, type Rule } from '../../pure/log/finding.ts';
import type { Names } from './entries/names.ts';
import { isSealedAt, TABLES } from '../layout/keyspace.ts';
import { runsIn } from '../layout/pages/free-list.ts';
import { flagsProblem, TREE_BYTES, treeOf, type Snapshot, type Tree } from '../layout/pages/meta-page.ts';
import type { PageAccount } from '../layout/pages/page-account.ts';
import { BRANCH, headOf, LEAF, OVERFLOW } from '../layout/pages/page.ts';
import { compareNumbers, walk, type Broken, type Entry, type ReadPages } from '../layout/pages/walk.ts';
import { Moved, nameOf, scan, tablesOf, type PageFile } from './page-file.ts';

export interface PagesChecked {
  readonly findings: readonly Finding[];
  /** False where other processes committed all the time: pages were checked, and not counted. */
  readonly isCounted: boolean;
  readonly account: PageAccount | undefined;
}
const ATTEMPTS = 3;
const ENTRIES_A_TURN = 512;

export const checkPages = async (file: PageFile, choose: () => Snapshot, names: Names, between: () => void): Promise<PagesChecked> => {
  for (let n = 1; n <= ATTEMPTS; n++) {
    try {
      const snapshot = choose();
      const account = file.account(snapshot);
      const findings = await wholeSnapshot(file, snapshot, account, names, between);
      return { findings, isCounted: true, account };
    } catch (error) {
      if (!(error instanceof Moved)) throw error;
    }
  }
  const findings: Finding[] = [];
  const snapshot = choose();
  for (const table of tablesOf(walk((page, count) => file.page(page, count), snapshot.main, snapshot)).keys()) {
    let n = 0;
    for (const item of scan(file, choose, table, undefined, false)) {
      if (item.type === 'broken') findings.push(pageFinding(item, table, names));
      if (++n % ENTRIES_A_TURN === 0) await pause(between);
    }
  }
  return { findings, isCounted: false, account: undefined };
};

const wholeSnapshot = async (file: PageFile, snapshot: Snapshot, account: PageAccount, names: Names, between: () => void): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const fault of faultsOf(file.reader(snapshot), snapshot, account)) {
    if (fault === undefined) await pause(between);
    else findings.push(fault.broken === undefined ? finding(fault.rule, placeOf(fault), fault.what) : pageFinding(fault.broken, fault.table!, names));
  }
  const lost = [...account.lost()];
  if (lost.length > 0)
    findings.push(finding('free-list', { page: lost[0]! }, `${lost.length} ${lost.length === 1 ? 'page is' : 'pages are'} in no table and not free`));
  return findings;
};
const placeOf = ({ table, page }: PageFault): Places => ({ ...(table === undefined ? {} : { table }), ...(page === undefined ? {} : { page }) });

export interface PageFault {
  readonly rule: Rule;
  readonly table?: string;
  readonly page?: number;
  readonly what: string;
  /** A broken page. */
  readonly broken?: Broken;
}

/**
 * Yields each fault of a commit's trees and of the count of their pages, and undefined after every so many entries. With
 * `isQuick`, a leaf without faults is skipped, and seals are checked on the way.
 */
export function* faultsOf(read: ReadPages, snapshot: Snapshot, account: PageAccount, isQuick = false): Generator<PageFault | undefined, void> {
  function* inTree(table: string, tree: Tree, each: (item: Entry) => PageFault | undefined = () => undefined): Generator<PageFault | undefined, void> {
    const seen = { [BRANCH]: 0, [LEAF]: 0, [OVERFLOW]: 0 } as Record<number, number>;
    let entries = 0;
    let faults = 0;
    const isFree = table === FREE;
    const isSealed = isQuick && isSealedTable(table);
    const flags = flagsProblem(tree, isFree);
    if (flags !== undefined) yield { rule: 'page', table, what: flags };
    const items = walk(read, tree, snapshot, {
      visit: (page, count, kind) => {
        seen[kind]! += count;
        return account.use(page, count);
      },
      values: isFree || isSealed ? true : isQuick ? 'heads' : false,
      ...(isFree ? { compare: compareNumbers } : {}),
      ...(isQuick && table !== FREE && table !== MAIN
        ? { sound: { isWhole: isSealed ? isSealedAt : undefined, entries: (count: number) => void (entries += count) } }
        : {}),
    });
    for (const item of items) {
      if (item.type === 'broken') {
        faults++;
        yield { rule: 'page', table, page: item.page, what: item.what, broken: item };
      } else {
        entries++;
        if (isSealed && !isSealedEntry(item)) yield { rule: 'checksum', table, page: item.page, what: 'a key and its value do not match their checksum' };
        const misplaced = table !== MAIN ? item.isTree : !item.isTree || item.value.length !== TREE_BYTES;
        if (misplaced) yield { rule: 'page', table, page: item.page, what: `an entry of it is ${item.isTree ? 'a' : 'no'} tree by its flags` };
        const fault = each(item);
        if (fault !== undefined) yield fault;
      }
      if (entries % ENTRIES_A_TURN === 0) yield undefined;
    }
    const counts = [
      [entries, tree.entries, 'entries'],
      [seen[BRANCH]!, tree.branches, 'branch pages'],
      [seen[LEAF]!, tree.leaves, 'leaf pages'],
      [seen[OVERFLOW]!, tree.overflows, 'overflow pages'],
    ] as const;
    // Entries hidden by a broken page are reported with it.
    if (faults > 0) {
      if (entries !== tree.entries) yield { rule: 'count', table, what: `${entries} of its ${tree.entries} entries can be reached` };
      return;
    }
    for (const [found, said, what] of counts) if (found !== said) yield { rule: 'count', table, what: `it has ${found} ${what}, and says ${said}` };
  }
  const trees = new Map<string, Tree>();
  // Each commit rewrites the list of tables, since one of the tables has changed.
  const root = snapshot.main.root === undefined ? undefined : read(snapshot.main.root, 1);
  const wrote = root === undefined ? snapshot.txn : headOf(root).txn;
  if (wrote !== snapshot.txn)
    yield {
      rule: 'page',
      table: MAIN,
      page: snapshot.main.root!,
      what: `commit ${wrote} wrote it, and the meta page that leads to it says commit ${snapshot.txn}`,
    };
  yield* inTree(MAIN, snapshot.main, (item) => {
    if (item.isTree && item.value.length === TREE_BYTES) trees.set(nameOf(item), treeOf(item.value));
    return undefined;
  });
  for (const [name, tree] of trees) yield* inTree(name, tree);
  const pending: PageFault[] = [];
  yield* inTree(FREE, snapshot.free, ({ value, page }) => {
    const runs = runsIn(value, snapshot.lastPage);
    if (typeof runs === 'string') return { rule: 'free-list', table: FREE, page, what: runs };
    for (const { page: first, pages } of runs) {
      const taken = account.free(first, pages);
      if (taken !== undefined)
        pending.push({
          rule: 'free-list',
          table: FREE,
          page,
          what: `page ${taken} is free and ${account.isFree(taken) ? 'free once more' : 'in use'}: it would be written over`,
        });
    }
    return undefined;
  });
  yield* pending;
}
const isSealedTable = (table: string): boolean => table !== 'log' && (TABLES as readonly string[]).includes(table);
const isSealedEntry = ({ key, value }: Entry): boolean => {
  const both = Buffer.concat([key, value]);
  return isSealedAt(both, 0, key.length, both.length);
};

/** Pages that LMDB gives no name. */
const FREE = 'the free list';
const MAIN = 'the list of tables';

export const pageFinding = (broken: Broken, table: string, names: Names): Finding =>
  finding('page', { table, page: broken.page, ...(broken.hidesNothing ? {} : keyPlaces(table, broken.after, broken.before, names)) }, broken.what);

const pause = async (between: () => void): Promise<void> => {
  await turnOfOthers();
  between();
};
