/** The ends of partitions as a transaction moves them. */
import { encodeEnds, partitionKey, type Ends } from '../layout/keyspace.ts';
import { stats, type Env } from '../tables/env.ts';
import { readEnds } from '../tables/rows.ts';
import { put } from '../tables/sealed.ts';

/** The ends that a transaction has moved so far, and the size of the file when it began; each is written once, after all its commits. */
export class EndsInTransaction {
  readonly #env: Env;
  readonly #ends = new Map<string, { readonly topicId: number; readonly partition: number; ends: Ends; moved: boolean }>();
  #fileBytes: number | undefined;
  constructor(env: Env) {
    this.#env = env;
  }
  /** The bytes of the data file up to its last page, as of the last commit. */
  get fileBytes(): number {
    if (this.#fileBytes === undefined) {
      const { lastPageNumber, pageSize } = stats(this.#env);
      this.#fileBytes = (lastPageNumber + 1) * pageSize;
    }
    return this.#fileBytes;
  }
  get(topicId: number, partition: number): Ends {
    return this.#entry(topicId, partition).ends;
  }
  set(topicId: number, partition: number, ends: Ends): void {
    const entry = this.#entry(topicId, partition);
    entry.ends = ends;
    entry.moved = true;
  }
  /** Puts the moved ends, and reports the partitions that grew. */
  write(): readonly { readonly topicId: number; readonly partition: number; readonly end: bigint }[] {
    const grown = [...this.#ends.values()].filter((entry) => entry.moved);
    for (const { topicId, partition, ends } of grown) put(this.#env, 'ends', partitionKey(topicId, partition), encodeEnds(ends));
    return grown.map(({ topicId, partition, ends }) => ({ topicId, partition, end: ends.end }));
  }
  #entry(topicId: number, partition: number): { readonly topicId: number; readonly partition: number; ends: Ends; moved: boolean } {
    const name = `${topicId}:${partition}`;
    let entry = this.#ends.get(name);
    if (entry === undefined) {
      entry = { topicId, partition, ends: readEnds(this.#env, topicId, partition), moved: false };
      this.#ends.set(name, entry);
    }
    return entry;
  }
}
