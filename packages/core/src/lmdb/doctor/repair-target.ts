/**
 * The new folder of a repair: puts in transactions of a few megabytes, and the final name at the end.
 *
 * Until then the folder is called `NAME.repairing`. An existing one was left by a repair that was killed, and is deleted.
 */
import { existsSync, readdirSync, renameSync, rmSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { StoplogError } from '../../pure/errors.ts';
import { seal, type Table } from '../layout/keyspace.ts';
import { putRaw } from '../tables/sealed.ts';
import { DEFAULT_MAP_SIZE } from '../folder/address-space.ts';
import { makeFolder, syncFolder } from '../folder/durable.ts';
import { openEnv, type Env } from '../tables/env.ts';
import { describeCopying } from '../folder/io-errors.ts';
import { markFolder } from '../folder/folder.ts';
import { makeGate } from '../transaction/gate.ts';
import { openDataFile, type DataFile } from '../folder/slack.ts';
import { transactions, type Transact } from '../transaction/transactions.ts';

const TURN = { puts: 1_000, bytes: 4 * 1024 * 1024 };
const OURS: ReadonlySet<string> = new Set(['data.mdb', 'lock.mdb', 'stoplog.json']);

export class RepairTarget {
  readonly path: string;
  readonly #to: string;
  readonly #env: Env;
  readonly #file: DataFile;
  readonly #transact: Transact;
  #puts: (readonly [Table, Buffer, Buffer])[] = [];
  #bytes = 0;
  #isEnded = false;

  constructor(to: string) {
    this.#to = resolve(to);
    this.path = join(dirname(this.#to), `${basename(this.#to)}.repairing`);
    if (existsSync(this.#to) && readdirSync(this.#to).length > 0) {
      throw new StoplogError('STOPLOG_USAGE', { to }, `${to} exists already, and is not empty: a repaired log goes into a new folder, name another one`);
    }
    const before = existsSync(this.path) ? readdirSync(this.path) : [];
    if (before.some((name) => !OURS.has(name) && !name.startsWith('stoplog.json')))
      throw new StoplogError('STOPLOG_USAGE', { to }, `${this.path} holds other files, and a repair works there before ${to} gets its name: name another one`);
    const options = { path: this.path, mapSize: DEFAULT_MAP_SIZE };
    try {
      rmSync(this.path, { recursive: true, force: true });
      makeFolder(this.path);
      this.#env = openEnv(options, false);
      this.#file = openDataFile(this.path);
    } catch (error) {
      throw describeCopying(this.#to, error);
    }
    this.#transact = transactions(this.#env, options, new Int32Array(makeGate()), this.#file);
  }

  /** Seals the value. */
  put(table: Exclude<Table, 'log'>, key: Buffer, value: Uint8Array): void {
    this.#add(table, key, seal(key, value));
  }
  putBatch(key: Buffer, batch: Uint8Array): void {
    this.#add('log', key, Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength));
  }
  /** Writes the pending puts, and marks the folder as a log: it can be opened, under its temporary name. */
  async close(): Promise<void> {
    this.#flush();
    await this.#end();
    markFolder(this.path);
  }
  /** Gives the folder its final name, durably. */
  rename(): void {
    if (existsSync(this.#to)) rmdirSync(this.#to);
    renameSync(this.path, this.#to);
    syncFolder(dirname(this.#to));
  }
  /** After an error the folder is of no use. */
  async discard(): Promise<void> {
    await this.#end();
    rmSync(this.path, { recursive: true, force: true });
  }

  async #end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#env.root.close();
    this.#file.close();
  }
  #add(table: Table, key: Buffer, value: Buffer): void {
    // The value may be a view into a larger page.
    this.#puts.push([table, Buffer.from(key), value]);
    this.#bytes += value.length;
    if (this.#puts.length >= TURN.puts || this.#bytes >= TURN.bytes) this.#flush();
  }
  #flush(): void {
    const puts = this.#puts.splice(0);
    this.#bytes = 0;
    if (puts.length === 0) return;
    try {
      this.#transact(() => {
        for (const [table, key, value] of puts) putRaw(this.#env, table, key, value);
      });
    } catch (error) {
      throw describeCopying(this.#to, error);
    }
  }
}
