/**
 * `checkFolder`: reads a whole data folder, changes nothing in it, and reports every invariant that does not hold.
 *
 * The file is never mapped and LMDB never called: LMDB trusts its pages, and would end the process over a damaged one. The
 * reader of pages is our own, with ordinary file calls, so it works while other processes write, on a read-only disk, and on
 * a file that LMDB cannot open.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { CheckOptions, CheckReport } from '../../port/inspection.ts';
import { finding, type Finding } from '../../pure/log/finding.ts';
import { isStoplogError, StoplogError } from '../../pure/errors.ts';
import { FIRST_TABLES } from './entries/entry-kinds.ts';
import { TABLES, PAGE_SIZE } from '../layout/keyspace.ts';
import type { Snapshot } from '../layout/pages/meta-page.ts';
import { walk } from '../layout/pages/walk.ts';
import { checkPages } from './check-pages.ts';
import { ValuesCheck } from './check-values.ts';
import { describeIo } from '../folder/io-errors.ts';
import { examineFolder } from '../folder/folder.ts';
import { clockNote } from './future.ts';
import { Look, readNames } from './look.ts';
import { atOneCommit, PageFile, tablesOf } from './page-file.ts';

const MOST_FINDINGS = 1_000;
const LOOK_EVERY = 64;

/** Checks a data folder. Throws when it cannot be read at all, is not a Stoplog folder, or has a later format. */
export const checkFolder = async (path: string, options: CheckOptions = {}, groupMayWrite: boolean = false): Promise<CheckReport> => {
  const findings: Finding[] = [];
  let omitted = 0;
  const report = (one: Finding): void => {
    if (findings.length < MOST_FINDINGS) findings.push(one);
    else omitted++;
  };
  const torn = examineForReading(path, groupMayWrite);
  if (torn !== undefined) report(finding('file', {}, torn.facts['reason'] === 'missing' ? 'it is gone' : String(torn.facts['reason'] ?? torn.message)));
  const nothing = { topics: 0, partitions: 0, batches: 0, records: 0, entries: 0, bytes: 0, notes: [], commit: 0, isWhole: true };
  const file = openPageFile(path);
  if (file === undefined) return { findings, omitted, ...nothing };
  try {
    const metas = file.metas();
    for (const { page, what } of metas.problems) report(finding('page', { page }, `${what}: where a commit begins`));
    if (metas.newest === undefined) return { findings, omitted, ...nothing };
    if (metas.newest.pageSize !== file.pageSize) {
      report(finding('file', {}, `its pages have ${metas.newest.pageSize} bytes, ours ${file.pageSize}: another program's, or a meta page is damaged`));
      return { findings, omitted, ...nothing };
    }
    const choose = (): Snapshot => file.metas().newest ?? metas.newest!;
    const tables = atOneCommit(choose, (snapshot) => tablesOf(walk(file.reader(snapshot), snapshot.main, snapshot)));
    if (tables.size === 0) report(finding('file', {}, 'none of its tables can be found'));
    else for (const table of FIRST_TABLES) if (!tables.has(table)) report(finding('file', { table }, 'the table is missing'));
    for (const table of tables.keys())
      if (!(TABLES as readonly string[]).includes(table)) report(finding('unknown', { table }, 'this version does not know the table'));
    const total = (): number => {
      const { free, main } = choose();
      return [free, main, ...tables.values()].reduce((pages, tree) => pages + tree.branches + tree.leaves + tree.overflows, 0) * file.pageSize;
    };
    const all = total();
    const { names, clock } = atOneCommit(choose, (snapshot) => {
      const look = new Look(file, snapshot);
      return { names: readNames(look).names, clock: clockNote(look) };
    });
    const { findings: ofPages, isCounted } = await checkPages(file, choose, names, () => options.progress?.({ done: 0, total: all, records: 0 }));
    for (const one of ofPages) report(one);
    file.bytesRead = 0;
    const values = new ValuesCheck(file, choose, names, report);
    let n = 0;
    for (const _ of values.run()) {
      if (++n % LOOK_EVERY !== 0) continue;
      options.progress?.({ done: Math.min(file.bytesRead, all), total: all, records: values.records });
      await turnOfOthers();
      if (options.signal?.aborted) break;
    }
    const notes = [
      ...(clock === undefined ? [] : [clock]),
      ...(isCounted ? [] : ['commits came faster than pages could be counted: whether a page is in use twice was not compared']),
      ...values.notes,
    ];
    return { findings, omitted, notes, ...values.counts, commit: choose().txn, isWhole: options.signal?.aborted !== true };
  } catch (error) {
    throw describeIo(path, error);
  } finally {
    file.close();
  }
};

/** The reason why the folder cannot be opened, unless the reason is damage: damage is reported with all other findings. */
export const examineForReading = (path: string, groupMayWrite: boolean): StoplogError | undefined => {
  try {
    const state = examineFolder(path, groupMayWrite);
    if (state === 'ours') return undefined;
    throw new StoplogError(
      'STOPLOG_LOG_UNAVAILABLE',
      { path },
      `there is no log in ${path}: check the path; the first run of a pipeline, or the first append, makes one`,
    );
  } catch (error) {
    if (isStoplogError(error) && error.code === 'STOPLOG_LOG_CORRUPT') return error;
    throw error;
  }
};

export const openPageFile = (path: string): PageFile | undefined => {
  try {
    return new PageFile(path, PAGE_SIZE);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
    throw describeIo(path, error);
  }
};
