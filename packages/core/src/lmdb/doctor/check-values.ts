/**
 * Checks the values of a data folder: each table entry by entry, then the log (check-log.ts).
 *
 * Entries that depend on each other are read at one commit: an owner and its entries, the end and the batches before it. An
 * entry that another process may have changed between two reads is read again before it is reported.
 */
import { kindOf, type KINDS } from './entries/entry-kinds.ts';
import { finding, type Finding } from '../../pure/log/finding.ts';
import type { Names } from './entries/names.ts';
import { TABLES, type Table } from '../layout/keyspace.ts';
import type { Snapshot } from '../layout/pages/meta-page.ts';
import { LogCheck, type Counts, type Reported } from './check-log.ts';
import { knownBy, Look, readNames } from './look.ts';
import { asBuffer, openSealed } from './opened.ts';
import { atOneCommit, scan, type PageFile } from './page-file.ts';

const MOST_SUSPECTS = 1_000;

export class ValuesCheck {
  readonly counts: Counts = { topics: 0, partitions: 0, batches: 0, records: 0, entries: 0, bytes: 0 };
  readonly notes: string[] = [];
  readonly #file: PageFile;
  readonly #choose: () => Snapshot;
  readonly #reported: Reported;
  readonly #log: LogCheck;

  constructor(file: PageFile, choose: () => Snapshot, names: Names, report: (finding: Finding) => void) {
    this.#file = file;
    this.#choose = choose;
    this.#reported = { counts: this.counts, notes: this.notes, report };
    this.#log = new LogCheck(file, choose, names, this.#reported);
  }

  /** Yields often. */
  *run(): Generator<void, void> {
    for (const table of TABLES) if (table !== 'log') yield* this.#table(table);
    yield* this.#log.run();
  }

  /** The number so far, with the records of the unfinished partition. */
  get records(): number {
    return this.counts.records + this.#log.records;
  }

  *#table(table: Exclude<Table, 'log'>): Generator<void, void> {
    const suspects: Buffer[] = [];
    const unknown = { entries: 0 };
    let known = this.#look(knownBy);
    for (const item of scan(this.#file, this.#choose, table)) {
      if (item.type === 'broken') continue; // The check of pages reports it.
      this.#reported.counts.entries++;
      const key = asBuffer(item.key);
      const value = openSealed(table, key, asBuffer(item.value));
      if (value === undefined) this.#reported.report(sealFinding(table, key));
      else if (table !== 'meta') {
        const kind = kindOf(table, key);
        if (kind === undefined) unknown.entries++;
        else if (kind.check(key, value, known) !== undefined && suspects.length < MOST_SUSPECTS) suspects.push(key);
      }
      yield;
    }
    // A name or an end may have been added since: reads both again at one commit.
    for (const key of suspects) {
      const again = this.#look((look) => {
        known = knownBy(look);
        const value = look.get(table, key);
        const opened = value === undefined ? undefined : openSealed(table, key, value);
        return opened === undefined ? undefined : kindOf(table as keyof typeof KINDS, key)!.check(key, opened, known);
      });
      if (again !== undefined) this.#reported.report(again);
      yield;
    }
    if (unknown.entries > 0)
      this.#reported.report(finding('unknown', { table }, `${unknown.entries} entries are of a kind that this version does not know; their checksums agree`));
    if (table === 'meta') {
      const { names, findings } = this.#look(readNames);
      for (const one of findings) this.#reported.report(one);
      this.#reported.counts.topics = names.topics.size;
    }
  }

  #look<T>(read: (look: Look) => T): T {
    return atOneCommit(this.#choose, (snapshot) => read(new Look(this.#file, snapshot)));
  }
}

const sealFinding = (table: Table, key: Buffer): Finding =>
  finding('checksum', { table }, `the value of key ${key.subarray(0, 40).toString('hex')} does not match its checksum`);
