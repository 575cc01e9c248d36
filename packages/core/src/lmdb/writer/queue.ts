/**
 * The queue of the writer: calls gather while the disk flushes; each turn takes what waits into one transaction, flushes once,
 * and answers all.
 *
 * A call that is refused has put nothing yet: the transaction goes on without it. Anything else that throws takes the
 * transaction back, and its calls are tried one by one, so that each is answered for its own fault.
 */
import { errorFromData, errorToData, isStoplogError } from '../../pure/errors.ts';
import { takeShare, type Waiting } from './group-commit.ts';
import type { WriterAnswer } from '../layout/writer-messages.ts';
import { failpoint } from '../../failpoints/failpoint.ts';
import { EndsInTransaction } from '../transaction/ends.ts';
import type { Env } from '../tables/env.ts';
import { describeIo } from '../folder/io-errors.ts';
import { RefusedLives } from '../transaction/refused-lives.ts';
import type { Transact } from '../transaction/transactions.ts';

export type Outcome = WriterAnswer extends infer A ? (A extends { readonly id: number } ? Omit<A, 'id'> : never) : never;
/** What a call does inside a transaction. */
export type Apply = (ends: EndsInTransaction) => Outcome;
/** Partitions whose ends have moved. */
export type Grown = ReturnType<EndsInTransaction['write']>;
/** A call in the queue: what it does, and whom it answers. */
interface Pending extends Waiting {
  /** Whose commit it is. */
  readonly life: string | undefined;
  readonly apply: Apply;
  readonly answer: (outcome: Outcome) => void;
}

export class CallQueue {
  readonly #env: Env;
  readonly #inTransaction: Transact;
  readonly #grew: (grown: Grown) => void;
  readonly #waiting: Pending[] = [];
  /** `admit` refuses what these send. */
  readonly refused: RefusedLives;
  #isTurnDue = false;
  #isClosed = false;

  /** `grew` is called after the flush, and before it too where a commit shows by then. */
  constructor(env: Env, inTransaction: Transact, grew: (grown: Grown) => void, refused: RefusedLives = new RefusedLives()) {
    this.#env = env;
    this.#inTransaction = inTransaction;
    this.#grew = grew;
    this.refused = refused;
  }

  /** Once the queue is closed, what comes is for nobody. */
  add(pending: Pending): void {
    if (this.#isClosed) return;
    this.#waiting.push(pending);
    this.#takeTurn();
  }
  /** A call of the writer's own. */
  addOwn(apply: Apply, answer: Pending['answer']): void {
    this.add({ bytes: 0, life: undefined, apply, answer });
  }
  /** The same for who waits for it: resolves when it is committed. */
  commit<T>(apply: (ends: EndsInTransaction) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: T;
      this.addOwn(
        (ends) => {
          result = apply(ends);
          return { type: 'done' };
        },
        (outcome) => (outcome.type === 'failed' ? reject(errorFromData(outcome.error)) : resolve(result)),
      );
    });
  }
  /** Does all that waits, and takes no more. */
  close(): void {
    this.#isClosed = true;
    while (this.#waiting.length > 0) this.#run();
  }

  #takeTurn(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => {
      this.#isTurnDue = false;
      this.#run();
    });
  }
  /** One turn: the share of the queue, one transaction, one flush, all answers. */
  #run(): void {
    const share = this.#waiting.splice(0, takeShare(this.#waiting));
    if (share.length === 0) return;
    if (!this.#transact(share)) for (const pending of share) this.#transact([pending], true);
    if (this.#waiting.length > 0) this.#takeTurn();
  }
  /** False when the transaction was taken back and its calls are to be tried one by one. */
  #transact(share: readonly Pending[], alone = share.length === 1): boolean {
    const outcomes: Outcome[] = [];
    let grown: Grown = [];
    let commit = 0;
    try {
      commit = this.#inTransaction((showsEarly) => {
        failpoint('lock.taken');
        outcomes.length = 0;
        const ends = new EndsInTransaction(this.#env);
        for (const pending of share) outcomes.push(this.#attempt(pending, ends));
        grown = ends.write();
        // A thread takes a while to wake: where the commit shows before it is flushed, who waits is told now, and looks when it shows.
        if (showsEarly) this.#grew(grown);
      });
    } catch (error) {
      if (!alone) return false;
      const data = errorToData(describeIo(this.#env.path, error));
      for (const { life } of share) this.refused.add(life);
      for (const pending of share) pending.answer({ type: 'failed', error: data });
      return true;
    }
    failpoint('append.committed');
    share.forEach((pending, i) => pending.answer({ ...outcomes[i]!, commit }));
    this.#grew(grown);
    return true;
  }
  #attempt({ life, apply }: Pending, ends: EndsInTransaction): Outcome {
    try {
      return apply(ends);
    } catch (error) {
      if (isStoplogError(error) && error.code === 'STOPLOG_FENCED') this.refused.add(life);
      if (isStoplogError(error) && REFUSALS.has(error.code)) return { type: 'failed', error: errorToData(error) };
      throw error;
    }
  }
}

/** Refusals come before a call's first put. */
const REFUSALS: ReadonlySet<string> = new Set([
  'STOPLOG_FENCED',
  'STOPLOG_GROUP_ACTIVE',
  'STOPLOG_GROUP_UNKNOWN',
  'STOPLOG_TOPIC_SHAPE',
  'STOPLOG_STORE_VERSION',
  'STOPLOG_STORE_OWNER',
  'STOPLOG_STORE_NEW',
  'STOPLOG_TOPIC_OWNER',
  'STOPLOG_OFFSET_OUT_OF_RANGE',
  'STOPLOG_SEQUENCE',
  'STOPLOG_END_MOVED',
]);
