/**
 * The commits of an actor that are under way: at most two.
 *
 * While one is being flushed the next is gathered; a third waits for a credit, and meanwhile the batch grows. This is the whole of flow
 * control between an actor and the disk: commits are small when the disk is idle, and large when it is not. After a refusal nothing more
 * is sent: the actor ends, and its next incarnation starts at the last commit.
 */

/** Commits that one actor may have under way. */
export const CREDITS = 2;

export class Commits {
  #sent = 0;
  #underWay = 0;
  /** The error of the first refused commit. */
  failure: { readonly error: unknown } | undefined;

  /** The number that the next commit gets. */
  get next(): number {
    return this.#sent + 1;
  }
  get isSettled(): boolean {
    return this.#underWay === 0;
  }
  get hasCredit(): boolean {
    return this.#underWay < CREDITS;
  }
  sent(): void {
    this.#sent++;
    this.#underWay++;
  }
  committed(): void {
    this.#underWay--;
  }
  refused(error: unknown): void {
    this.#underWay--;
    this.failure ??= { error };
  }
}
