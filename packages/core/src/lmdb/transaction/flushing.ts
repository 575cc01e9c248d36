/**
 * When a commit is flushed: after its transaction has ended, or before that.
 *
 * After is faster for who waits: the commit shows while the disk still works on it. LMDB holds a lock of its own for such a flush,
 * and who is killed in it leaves that lock to the next. If the next asks for it in the middle of a large commit, LMDB believes
 * that it is the one that died, and gives up in its process for good (MDB_PANIC). So only a process that has found itself alone
 * flushes after; whoever comes later finds it there, and flushes before, without that lock, for as long as it lives.
 * Nobody who has the lock can die beside somebody who asks for it (docs/decisions/0028).
 */
import { FORMAT } from '../layout/keyspace.ts';
import { formatKey } from '../layout/meta.ts';
import { putMeta } from '../tables/rows.ts';
import { FLUSH_AFTER, FLUSH_BEFORE, othersWith, type Env } from '../tables/env.ts';

export class Flushing {
  readonly #env: Env;
  #isAfter = false;

  constructor(env: Env) {
    this.#env = env;
  }
  /** Of the next transaction. */
  get flags(): number {
    return this.#isAfter ? FLUSH_AFTER : FLUSH_BEFORE;
  }
  /** Whether its commit shows before it is flushed. */
  get showsEarly(): boolean {
    return this.#isAfter;
  }

  /** Looks whether anybody else has the folder open; outside of transactions. */
  look(inTransaction: (write: () => void) => void): void {
    if (this.#isAfter || othersWith(this.#env).length > 0) return;
    this.#isAfter = true;
    try {
      // One that is gone may have left the lock. A small commit asks for it when its transaction has ended, and may have it.
      inTransaction(() => putMeta(this.#env, formatKey(), FORMAT));
    } catch {
      // The disk is full, say: whoever commits next is told, and then there is another look.
      this.#isAfter = false;
    }
  }
}
