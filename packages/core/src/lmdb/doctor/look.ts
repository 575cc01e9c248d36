/** Reads the tables of a data file as of one commit, without LMDB: the entries under a prefix, and the names and ends. */
import type { Known } from './entries/entry-kinds.ts';
import { namesIn } from './entries/names.ts';
import { decodeEnds, partitionKey, samePrefix, type Ends, type Table } from '../layout/keyspace.ts';
import type { Snapshot, Tree } from '../layout/pages/meta-page.ts';
import { compareKeys, walk } from '../layout/pages/walk.ts';
import { asBuffer, openSealed } from './opened.ts';
import { tablesOf, type PageFile } from './page-file.ts';

type Bytes = readonly [key: Buffer, value: Buffer];

export class Look {
  readonly #read: (page: number, count: number) => Uint8Array | undefined;
  readonly #snapshot: Snapshot;
  readonly #trees: ReadonlyMap<string, Tree>;
  constructor(file: PageFile, snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#read = file.reader(snapshot);
    this.#trees = tablesOf(walk(this.#read, snapshot.main, snapshot));
  }
  *under(table: string, prefix: Uint8Array, from: Uint8Array = prefix): Generator<Bytes, void> {
    const tree = this.#trees.get(table);
    if (tree === undefined) return;
    for (const item of walk(this.#read, tree, this.#snapshot, { from })) {
      if (item.type !== 'entry') continue;
      if (!samePrefix(item.key, prefix)) return;
      yield [asBuffer(item.key), asBuffer(item.value)];
    }
  }
  get(table: string, key: Uint8Array): Buffer | undefined {
    for (const [found, value] of this.under(table, key)) return compareKeys(found, key) === 0 ? value : undefined;
    return undefined;
  }
  /** Values without their seals, where the seals match; damaged ones are reported when the whole table is checked. */
  *sealed(table: Table, prefix: Uint8Array): Generator<Bytes, void> {
    for (const [key, value] of this.under(table, prefix)) {
      const opened = openSealed(table, key, value);
      if (opened !== undefined) yield [key, opened];
    }
  }
}

export const readNames = (look: Look): ReturnType<typeof namesIn> => namesIn([...look.sealed('meta', new Uint8Array(0))]);

export const endsIn = (look: Look, prefix: Buffer): Ends | undefined => {
  const sealed = look.get('ends', prefix);
  if (sealed === undefined) return undefined;
  const bytes = openSealed('ends', prefix, sealed);
  return bytes === undefined || (bytes.length !== 32 && bytes.length !== 88) ? undefined : decodeEnds(bytes);
};
/** The names and ends against which entries are checked. */
export const knownBy = (look: Look): Known => ({
  names: readNames(look).names,
  endsOf: (topicId, partition) => endsIn(look, partitionKey(topicId, partition)),
});
