/**
 * `repairFolder`: makes a new folder with every entry of a damaged one that can be proved, and an exact account of the rest.
 *
 * The old folder is only read. A repair that was killed and is run again starts from the beginning. Lost records keep their
 * offsets, as empty batches that a reader skips: no offset is assigned twice, and every position keeps its meaning.
 */
import { isNotes } from '../../pure/store/notes.ts';
import type { RepairOptions, RepairReport } from '../../port/inspection.ts';
import { FIRST_TABLES } from './entries/entry-kinds.ts';
import { isDamage } from '../../pure/log/finding.ts';
import { namesIn } from './entries/names.ts';
import { StoplogError } from '../../pure/errors.ts';
import { TABLES, type Table } from '../layout/keyspace.ts';
import { checkFolder, examineForReading, openPageFile } from './check.ts';
import { describeIo } from '../folder/io-errors.ts';
import { LogRepair } from './repair-log.ts';
import { RepairSource } from './repair-source.ts';
import { isMetaKey, putNames, putTables } from './repair-tables.ts';
import { RepairTarget } from './repair-target.ts';

/** Rebuilt from the batches. */
const DERIVED: ReadonlySet<Table> = new Set(['segments', 'times']);

/** Makes the folder `to` from the provable entries of the folder at `path`, which is only read. */
export const repairFolder = async (path: string, to: string, options: RepairOptions = {}, groupMayWrite: boolean = false): Promise<RepairReport> => {
  examineForReading(path, groupMayWrite);
  const file = openPageFile(path);
  if (file === undefined)
    throw new StoplogError('STOPLOG_LOG_CORRUPT', { path, reason: 'missing' }, `the data file of ${path} is gone: restore it from a backup`);
  try {
    const source = new RepairSource(path, file, options);
    const target = new RepairTarget(to);
    try {
      const report = await repair(source, target);
      source.checkUnchanged();
      await target.close();
      await checkRepaired(target.path);
      target.rename();
      return report;
    } catch (error) {
      await target.discard();
      // Findings in a file that changed mean nothing: the change is reported first.
      source.checkUnchanged();
      throw error;
    }
  } catch (error) {
    throw describeIo(path, error);
  } finally {
    file.close();
  }
};

const repair = async (source: RepairSource, target: RepairTarget): Promise<RepairReport> => {
  const { salvage, orphans } = source;
  const marked = new Set<number>();
  const mark = (id: number): unknown => marked.add(id);
  const meta = await source.all('meta', isMetaKey);
  const { names } = namesIn(meta.map(({ key, value }) => [key, value] as const));
  const namesLost = salvage.missing('meta') !== 0;
  const log = new LogRepair(source, target, names, namesLost);
  await log.readEnds(mark);
  const tables = await putTables(source, target, names, namesLost, mark, (topicId, partition, offset) => log.read(topicId, partition, offset));
  log.leaveOut(tables.leftOut);
  const topics = await log.putBatches();
  const anew = new Set(tables.restarted.map(({ group }) => group));
  putNames(target, names, topics, anew, [...marked, ...tables.leftOut]);
  const partitions = topics.flatMap((topic) => topic.partitions);
  if (partitions.length === 0 && names.topics.size === 0 && namesLost) {
    throw new StoplogError(
      'STOPLOG_LOG_CORRUPT',
      { reason: 'nothing is left' },
      'nothing in the data file can be proved to be of a log, no name and no batch: restore the folder from a backup',
    );
  }
  return {
    partitions,
    stores: [...names.stores]
      .filter(([, { name }]) => !isNotes(name))
      .map(([id, { name, group }]) => ({ store: name, group, entries: tables.entriesOf.get(id) ?? 0, isKept: !anew.has(group) })),
    positionsKept: tables.positionsKept,
    positionsDropped: tables.positionsDropped,
    restarted: tables.restarted,
    missing: Object.fromEntries(
      TABLES.filter((table) => !DERIVED.has(table) && (FIRST_TABLES.includes(table) || salvage.tables.has(table)))
        .map((table) => [table, salvage.missing(table)])
        .filter(([, n]) => n !== 0),
    ),
    copied: tables.copied,
    commit: salvage.snapshot.txn,
    isLatest: salvage.isLatest,
    mayMissPartitions: namesLost && salvage.missing('ends') !== 0,
    mayHoldDeleted: !orphans.areProven && partitions.some(({ foundAgain }) => foundAgain > 0),
    lostOffsets: Number(partitions.reduce((sum, { lost }) => lost.reduce((of, { offset, until }) => of + until - offset, sum), 0n)),
    renamed: topics.filter(({ isRenamed }) => isRenamed).map(({ shape }) => shape.name),
  };
};

/** The new folder is read like any other: a repair that went wrong must not be trusted. */
const checkRepaired = async (path: string): Promise<void> => {
  const { findings } = await checkFolder(path);
  const wrong = findings.find(isDamage);
  if (wrong === undefined) return;
  const text = JSON.stringify(wrong, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  throw new Error(`the repaired folder does not pass its own check: ${text}`);
};
