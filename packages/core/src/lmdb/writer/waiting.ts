/**
 * The waiting callers of the writer. A wait ends by a commit of this process, which lists the grown partitions, or by one of another
 * process, which is detected by the number of the last commit.
 *
 * That number is visible a moment before the commit is visible in a snapshot, because LMDB writes its meta page first and the number
 * that readers take their snapshot by after it. So one look at a new number is not enough: all waits are checked for a second.
 */
import { errorToData, type StoplogError } from '../../pure/errors.ts';
import type { WriterCall } from '../layout/writer-messages.ts';
import { readEnds } from '../tables/rows.ts';
import { stats, type Env } from '../tables/env.ts';
import { describeIo } from '../folder/io-errors.ts';
import { ForeignCommits } from './foreign.ts';
import { readGroupRecord } from '../transaction/groups.ts';
import type { Grown, Outcome } from './queue.ts';
import { groupWaitKey, partitionWaitKey, Waits } from './waits.ts';

/** Within this time of a foreign commit every look checks all waits; after it, one look in this time does. */
const SETTLED_MS = 1_000;

export type WaitCall = WriterCall & { readonly type: 'wait' | 'wait-group' };

export class Waiting {
  readonly #env: Env;
  readonly #waits = new Waits();
  readonly #foreign: ForeignCommits;
  #seen: number;
  #changedAt = -Infinity;
  #wokeAt = -Infinity;
  /** Set when the log takes no more commits of this process: a caller that waited for one would wait for ever. */
  #broken: StoplogError | undefined;

  constructor(env: Env) {
    this.#env = env;
    this.#seen = stats(env).lastTxnId;
    this.#foreign = new ForeignCommits(env.path, () => this.#look());
  }

  /** Answers when the wait is over, at once where it already is; otherwise returns a function that removes the wait. */
  add(call: WaitCall, answer: (outcome: Outcome) => void): (() => void) | undefined {
    let outcome: Outcome = { type: 'done' };
    const wait = {
      key: call.type === 'wait' ? partitionWaitKey(call.topicId, call.partition) : groupWaitKey(call.groupId),
      isOver: () => {
        try {
          if (this.#broken !== undefined) throw this.#broken;
          return this.#isOver(call);
        } catch (error) {
          // Damage in one place ends the waits there, not the writer of all.
          outcome = { type: 'failed', error: errorToData(describeIo(this.#env.path, error)) };
          return true;
        }
      },
      answer: () => answer(outcome),
    };
    this.#env.root.resetReadTxn();
    if (wait.isOver()) {
      wait.answer();
      return undefined;
    }
    const forget = this.#waits.add(wait);
    this.#foreign.start();
    return forget;
  }
  grew(grown: Grown): void {
    this.#waits.wake(grown.map(({ topicId, partition }) => partitionWaitKey(topicId, partition)));
  }
  /** Ends all waits with the error. */
  fail(error: StoplogError): void {
    this.#broken = error;
    this.#waits.wake();
  }
  groupChanged(groupId: number): void {
    this.#env.root.resetReadTxn();
    this.#waits.wake([groupWaitKey(groupId)]);
  }
  stop(): void {
    this.#foreign.stop();
  }

  #isOver(call: WaitCall): boolean {
    return call.type === 'wait'
      ? readEnds(this.#env, call.topicId, call.partition).end > call.offset
      : readGroupRecord(this.#env, call.groupId).version !== call.version;
  }
  /** Called when another process may have committed. */
  #look(): void {
    if (this.#waits.size === 0) return this.#foreign.stop();
    const now = performance.now();
    const { lastTxnId } = stats(this.#env);
    if (lastTxnId !== this.#seen) this.#changedAt = now;
    this.#seen = lastTxnId;
    if (now - this.#changedAt > SETTLED_MS && now - this.#wokeAt < SETTLED_MS) return;
    this.#wokeAt = now;
    this.#env.root.resetReadTxn();
    this.#waits.wake();
  }
}
