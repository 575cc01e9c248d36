/**
 * Reads the entries for a repair: the ones that trees lead to, completed by the ones that damage has hidden, a few between
 * two turns of the event loop. No snapshot is held, so no process may write meanwhile: a copy of two states is no copy.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { RepairOptions } from '../../port/inspection.ts';
import type { KeyGap } from './entries/group-loss.ts';
import { StoplogError } from '../../pure/errors.ts';
import type { Table } from '../layout/keyspace.ts';
import type { PageFile } from './page-file.ts';
import { Salvage, type Orphans, type Sealed } from './salvage.ts';

const LOOK_EVERY = 256;

export class RepairSource {
  readonly salvage: Salvage;
  readonly orphans: Orphans;
  /** The number so far. */
  records = 0;
  readonly #path: string;
  readonly #file: PageFile;
  readonly #options: RepairOptions;
  readonly #commits: string;

  constructor(path: string, file: PageFile, options: RepairOptions) {
    this.#path = path;
    this.#file = file;
    this.#options = options;
    this.#commits = file.commits();
    this.salvage = new Salvage(file);
    this.orphans = this.salvage.orphans();
  }

  /** The entries of a table, then the leaked entries that belong to the table and are missing from it. */
  async all(table: Exclude<Table, 'log' | 'stores'>, isOfIt: (key: Buffer, value: Buffer) => boolean): Promise<readonly Sealed[]> {
    const found = new Map<string, Sealed>();
    for await (const entry of this.inTurns(this.salvage.sealed(table)))
      found.set(entry.key.toString('latin1'), { key: Buffer.from(entry.key), value: Buffer.from(entry.value) });
    // An older copy of ends would assign offsets again.
    if (this.salvage.missing(table) !== 0 && (table !== 'ends' || this.orphans.areProven)) {
      for (const entry of this.orphans.sealed) {
        const name = entry.key.toString('latin1');
        if (!isOfIt(entry.key, entry.value) || found.has(name)) continue;
        found.set(name, entry);
        this.salvage.foundAgain(table);
      }
    }
    return [...found.values()];
  }

  /**
   * The gaps in a table's entries; one gap over all keys when the table has fewer entries than it says and no page shows
   * where.
   */
  gapsOf(table: Table): readonly KeyGap[] {
    if (this.salvage.missing(table) === 0) return [];
    const gaps = this.salvage.gaps(table);
    return gaps.length > 0 ? gaps : [{ after: undefined, before: undefined }];
  }

  /** The items, with turns of the event loop between some of them. */
  async *inTurns<T>(items: Iterable<T>): AsyncGenerator<T, void> {
    let n = 0;
    for (const item of items) {
      yield item;
      if (++n % LOOK_EVERY !== 0) continue;
      this.#report();
      await turnOfOthers();
      this.checkUnchanged();
    }
  }
  #report(): void {
    const { tables, snapshot } = this.salvage;
    const trees = [snapshot.free, snapshot.main, ...tables.values()];
    const total = trees.reduce((pages, tree) => pages + tree.branches + tree.leaves + tree.overflows, 0) * this.#file.pageSize;
    this.#options.progress?.({ done: Math.min(this.#file.bytesRead, total), total, records: this.records });
  }

  /** Throws if there was a commit since the reading began. */
  checkUnchanged(): void {
    if (this.#file.commits() === this.#commits) return;
    throw new StoplogError(
      'STOPLOG_LOG_UNAVAILABLE',
      { path: this.#path },
      `${this.#path} was written to while it was repaired, and a copy of two states is none: stop what runs on it, then repair again. Nothing was left behind`,
    );
  }
}
