/**
 * Incarnations of actors that had a commit refused. Their later commits were computed from the refused one, so they are
 * refused too, even when a late commit of an earlier incarnation has moved the group to where they continue.
 */
import { StoplogError } from '../../pure/errors.ts';

/** Commits in flight at a refusal arrive within moments; the oldest incarnations are forgotten beyond this count. */
const MOST_REFUSED = 65_536;

export class RefusedIncarnations {
  readonly #refused = new Set<string>();
  readonly #most: number;
  constructor(most: number = MOST_REFUSED) {
    this.#most = most;
  }
  add(incarnation: string | undefined): void {
    if (incarnation === undefined) return;
    this.#refused.add(incarnation);
    // A set iterates in the order of insertion.
    for (const oldest of this.#refused) {
      if (this.#refused.size <= this.#most) break;
      this.#refused.delete(oldest);
    }
  }
  check(incarnation: string | undefined): void {
    if (incarnation !== undefined && this.#refused.has(incarnation))
      throw new StoplogError(
        'STOPLOG_FENCED',
        { incarnation },
        'an earlier commit of this actor was refused, and this one was made from it: nothing of it was kept, and nothing is to be done',
      );
  }
}
