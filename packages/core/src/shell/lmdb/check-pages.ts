/**
 * The pages of a file: every tree is walked from its root, and every page is used once or free. Values are not looked at.
 *
 * The account of all pages holds for one commit only. Where commits come faster than the walk is done, the trees are walked
 * piece by piece instead, each piece in a commit that was whole, and the account is left out and said to be.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { keyPlaces } from '../../pure/check/key-places.ts';
import { finding, type Finding } from '../../pure/check/finding.ts';
import type { Names } from '../../pure/check/names.ts';
import { runsIn } from '../../pure/pages/free-list.ts';
import type { Snapshot, Tree } from '../../pure/pages/meta-page.ts';
import { PageAccount } from '../../pure/pages/page-account.ts';
import { BRANCH, LEAF, OVERFLOW } from '../../pure/pages/page.ts';
import { compareNumbers, walk, type Broken } from '../../pure/pages/walk.ts';
import { Moved, scan, tablesOf, type PageFile } from './page-file.ts';

export interface PagesChecked {
  readonly findings: readonly Finding[];
  /** False where others wrote all the time: pages were looked at, and not counted. */
  readonly isCounted: boolean;
  readonly account: PageAccount | undefined;
}
const ATTEMPTS = 3;
const PAGES_A_TURN = 512;

export const checkPages = async (file: PageFile, choose: () => Snapshot, names: Names, between: () => void): Promise<PagesChecked> => {
  for (let n = 1; n <= ATTEMPTS; n++) {
    try {
      const snapshot = choose();
      const account = new PageAccount(snapshot.lastPage);
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
      if (++n % PAGES_A_TURN === 0) await pause(between);
    }
  }
  return { findings, isCounted: false, account: undefined };
};

const wholeSnapshot = async (file: PageFile, snapshot: Snapshot, account: PageAccount, names: Names, between: () => void): Promise<Finding[]> => {
  const read = file.reader(snapshot);
  const findings: Finding[] = [];
  const takeFree = (first: number, pages: number, page: number): void => {
    const taken = account.free(first, pages);
    if (taken !== undefined)
      findings.push(
        finding(
          'free-list',
          { table: FREE, page },
          `page ${taken} is free and ${account.isFree(taken) ? 'free once more' : 'in use'}: it would be written over`,
        ),
      );
  };
  const walkTree = async (
    table: string,
    tree: Tree,
    each: (item: { readonly key: Uint8Array; readonly value: Uint8Array; readonly page: number }) => void,
  ): Promise<void> => {
    const seen = { [BRANCH]: 0, [LEAF]: 0, [OVERFLOW]: 0 } as Record<number, number>;
    let entries = 0;
    const before = findings.length;
    const visit = (page: number, count: number, kind: number): boolean => {
      seen[kind]! += count;
      return account.use(page, count);
    };
    const isFree = table === FREE;
    for (const item of walk(read, tree, snapshot, { visit, values: isFree, ...(isFree ? { compare: compareNumbers } : {}) })) {
      if (item.type === 'broken') findings.push(pageFinding(item, table, names));
      else {
        entries++;
        each(item);
      }
      if (entries % PAGES_A_TURN === 0) await pause(between);
    }
    const counts = [
      [entries, tree.entries, 'entries'],
      [seen[BRANCH]!, tree.branches, 'branch pages'],
      [seen[LEAF]!, tree.leaves, 'leaf pages'],
      [seen[OVERFLOW]!, tree.overflows, 'overflow pages'],
    ] as const;
    // What a broken page hides, it was told with.
    if (findings.length > before) {
      if (entries !== tree.entries) findings.push(finding('count', { table }, `${entries} of its ${tree.entries} entries can be reached`));
      return;
    }
    for (const [found, said, what] of counts) if (found !== said) findings.push(finding('count', { table }, `it has ${found} ${what}, and says ${said}`));
  };
  const trees = new Map<string, Tree>();
  await walkTree(MAIN, snapshot.main, () => {});
  for (const [name, tree] of tablesOf(walk(read, snapshot.main, snapshot))) trees.set(name, tree);
  for (const [name, tree] of trees) await walkTree(name, tree, () => {});
  await walkTree(FREE, snapshot.free, ({ value, page }) => {
    const runs = runsIn(value, snapshot.lastPage);
    if (typeof runs === 'string') findings.push(finding('free-list', { table: FREE, page }, runs));
    else for (const run of runs) takeFree(run.page, run.pages, page);
  });
  const lost = [...account.lost()];
  if (lost.length > 0)
    findings.push(finding('free-list', { page: lost[0]! }, `${lost.length} ${lost.length === 1 ? 'page is' : 'pages are'} in no table and not free`));
  return findings;
};

/** What LMDB calls neither. */
const FREE = 'the free list';
const MAIN = 'the list of tables';

export const pageFinding = (broken: Broken, table: string, names: Names): Finding =>
  finding('page', { table, page: broken.page, ...(broken.hidesNothing ? {} : keyPlaces(table, broken.after, broken.before, names)) }, broken.what);

const pause = async (between: () => void): Promise<void> => {
  await turnOfOthers();
  between();
};
