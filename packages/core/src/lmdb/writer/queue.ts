/**
 * The queue of the writer: calls gather while the disk flushes; each turn takes a share of the waiting ones into one transaction,
 * flushes once, and answers all.
 *
 * A call that is refused has put nothing yet: the transaction continues without it. Any other error rolls the
 * transaction back, and its calls are retried one by one, so that each is answered for its own fault.
 */
import { errorFromData, errorToData, isStoplogError, type StoplogError } from '../../pure/errors.ts';
import { takeShare, type Waiting } from './group-commit.ts';
import type { WriterAnswer } from '../layout/writer-messages.ts';
import { failpoint } from '../../failpoints/failpoint.ts';
import { EndsInTransaction } from '../transaction/ends.ts';
import type { Env } from '../tables/env.ts';
import { describeIo } from '../folder/io-errors.ts';
import { RefusedIncarnations } from '../transaction/refused-incarnations.ts';
import type { Transact } from '../transaction/transactions.ts';

export type Outcome = WriterAnswer extends infer A ? (A extends { readonly id: number } ? Omit<A, 'id'> : never) : never;
/** The work of a call inside a transaction. */
export type Apply = (ends: EndsInTransaction) => Outcome;
/** Partitions whose ends have moved. */
export type Grown = ReturnType<EndsInTransaction['write']>;
/** A call in the queue: its work, and its answer. */
interface Pending extends Waiting {
  /** The incarnation that commits. */
  readonly incarnation: string | undefined;
  readonly apply: Apply;
  readonly answer: (outcome: Outcome) => void;
}

export class CallQueue {
  readonly #env: Env;
  readonly #inTransaction: Transact;
  readonly #grew: (grown: Grown) => void;
  readonly #broke: (error: StoplogError) => void;
  readonly #waiting: Pending[] = [];
  /** `admit` refuses later commits of these incarnations. */
  readonly refused: RefusedIncarnations;
  #isTurnDue = false;
  #isClosed = false;

  /**
   * `grew` is called after the flush, and also before it where a commit is visible then; `broke` when the log takes no more commits of
   * this process, as when its file was removed.
   */
  constructor(
    env: Env,
    inTransaction: Transact,
    grew: (grown: Grown) => void,
    refused: RefusedIncarnations = new RefusedIncarnations(),
    broke: (error: StoplogError) => void = () => {},
  ) {
    this.#broke = broke;
    this.#env = env;
    this.#inTransaction = inTransaction;
    this.#grew = grew;
    this.refused = refused;
  }

  /** A closed queue drops further calls: no caller is left. */
  add(pending: Pending): void {
    if (this.#isClosed) return;
    this.#waiting.push(pending);
    this.#takeTurn();
  }
  /** Adds a call of the writer's own. */
  addOwn(apply: Apply, answer: Pending['answer']): void {
    this.add({ bytes: 0, incarnation: undefined, apply, answer });
  }
  /** Adds a call of the writer's own; resolves when it is committed. */
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
  /** Runs all waiting calls, and takes no more. */
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
  /** Takes one turn: the share of the queue, one transaction, one flush, all answers. */
  #run(): void {
    const share = this.#waiting.splice(0, takeShare(this.#waiting));
    if (share.length === 0) return;
    if (!this.#transact(share)) for (const pending of share) this.#transact([pending], true);
    if (this.#waiting.length > 0) this.#takeTurn();
  }
  /** False when the transaction was rolled back and its calls must be retried one by one. */
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
        // A thread takes a while to wake: where the commit is visible before its flush, waiting callers are answered now, and read when it is visible.
        if (showsEarly) this.#grew(grown);
      });
    } catch (error) {
      if (!alone) return false;
      const described = describeIo(this.#env.path, error);
      const data = errorToData(described);
      for (const { incarnation } of share) this.refused.add(incarnation);
      for (const pending of share) pending.answer({ type: 'failed', error: data });
      if (isStoplogError(described) && described.facts['retry'] === false) this.#broke(described);
      return true;
    }
    failpoint('append.committed');
    share.forEach((pending, i) => pending.answer({ ...outcomes[i]!, commit }));
    this.#grew(grown);
    return true;
  }
  #attempt({ incarnation, apply }: Pending, ends: EndsInTransaction): Outcome {
    try {
      return apply(ends);
    } catch (error) {
      if (isStoplogError(error) && error.code === 'STOPLOG_FENCED') this.refused.add(incarnation);
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
