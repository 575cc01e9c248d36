/**
 * Sends an actor's batches to the log, two at a time.
 *
 * While one is being flushed the next is gathered; a third waits for a credit, and meanwhile what is gathered grows. That
 * is the whole of flow control between an actor and the disk: commits are small when the disk is idle, and large when
 * it is not. After a failure nothing more is sent: the actor ends, and goes on from the last commit.
 */
import { failpoint, type Commit, type Log } from '@stoplog/core/port';
import { CREDITS } from '../../pure/actor/steps.ts';

const SAMPLES = 32;

export class Committer {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #sent = 0;
  #failure: { readonly error: unknown } | undefined;
  commits = 0;
  /** How long the last commits took, in ms. */
  readonly commitMs: number[] = [];

  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  get isSettled(): boolean {
    return this.#underWay === 0;
  }
  get hasCredit(): boolean {
    return this.#underWay < CREDITS;
  }
  /** The number that the next commit will have. */
  get nextNumber(): number {
    return this.#sent + 1;
  }
  send(commit: Commit, committed: (number: number) => void): Promise<void> {
    failpoint('outputs.staged');
    const number = ++this.#sent;
    const started = this.#now();
    this.#underWay++;
    return this.#log.commit(commit).then(
      ({ durable }) => {
        this.#underWay--;
        this.commits++;
        if (this.commitMs.length < SAMPLES) this.commitMs.push(this.#now() - started);
        committed(number);
        failpoint('commit.acked');
        this.#wake();
        return durable;
      },
      (error: unknown) => {
        this.#underWay--;
        this.#failure ??= { error };
        this.#wake();
      },
    );
  }
  /** Resolves when a commit may be sent; throws what a commit failed with. */
  async credit(): Promise<void> {
    while (this.#failure === undefined && !this.hasCredit) await this.#change();
    this.check();
  }
  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#underWay > 0) await this.#change();
    this.check();
  }
  /** Throws what a commit failed with. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
