/**
 * Decides when a commit is flushed: after its transaction has ended, or before that.
 *
 * A flush after the transaction is faster for waiting callers: the commit is visible while the disk is still working. LMDB holds a
 * lock of its own for such a flush, and a process that is killed in it leaves that lock to the next one. If the next one asks for the
 * lock in the middle of a large commit, LMDB believes that this process died, and fails in it for good (MDB_PANIC). So only a process
 * that has found itself alone flushes after; a process that comes later sees the other, and flushes before, without that lock, for as
 * long as it lives. So no process can be killed while it holds this lock and another asks for it (docs/decisions/0028).
 */
import { FORMAT } from '../layout/keyspace.ts';
import { formatKey } from '../layout/meta.ts';
import { putMeta } from '../tables/rows.ts';
import { FLUSH_AFTER, FLUSH_BEFORE, othersWith, type Env } from '../tables/env.ts';

export class Flushing {
  readonly #env: Env;
  #isAfter = false;
  /** Another process has the folder open, as of the last look. */
  hasOthers = false;

  constructor(env: Env) {
    this.#env = env;
  }
  /** The flags of the next transaction. */
  get flags(): number {
    return this.#isAfter ? FLUSH_AFTER : FLUSH_BEFORE;
  }
  /** True when the next commit is visible before it is flushed. */
  get showsEarly(): boolean {
    return this.#isAfter;
  }

  /** Checks whether another process has the folder open; outside of transactions. */
  look(inTransaction: (write: () => void) => void): void {
    this.hasOthers = othersWith(this.#env).length > 0;
    if (this.#isAfter || this.hasOthers) return;
    this.#isAfter = true;
    try {
      // A dead process may have left the lock. A small commit asks for it after its transaction, where the lock can be recovered.
      inTransaction(() => putMeta(this.#env, formatKey(), FORMAT));
    } catch {
      // The disk may be full: the next commit reports that, and then there is another check.
      this.#isAfter = false;
    }
  }
}
