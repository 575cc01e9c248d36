/**
 * Decides about the answer to a request: the record is written, the request is sent again after a while, the target is looked at again, or the
 * target refuses the record.
 */
export type Versioning = 'if-match' | 'idempotency-key';
export interface Answer {
  readonly status: number;
  /** The header Retry-After. */
  readonly retryAfter: string | null;
}
export type Verdict =
  | { readonly type: 'written' }
  /** `isAsked`: the target said how long to wait. */
  | { readonly type: 'again'; readonly afterMs: number; readonly isAsked: boolean }
  /** Another writer was first: its version is compared. */
  | { readonly type: 'compare' }
  | { readonly type: 'refused' };

const FIRST_BACKOFF_MS = 50;
const LAST_BACKOFF_MS = 2_000;
/** The longest wait that a target may ask for at a time. */
const LONGEST_WAIT_MS = 600_000;
/** Statuses that may be another a moment later, besides 5xx: a timeout, too early, too many requests. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** `attempt` counts from 0; `now` is in ms since 1970. */
export const judge = ({ status, retryAfter }: Answer, versioning: Versioning, method: string, attempt: number, now: number): Verdict => {
  if (status >= 200 && status < 300) return { type: 'written' };
  if (method === 'DELETE' && (status === 404 || status === 410)) return { type: 'written' };
  if (versioning === 'if-match' && (status === 412 || status === 409)) return { type: 'compare' };
  // By the draft of the header, 409 is a request of this key that is still being processed.
  const passes = PASSING.has(status) || status >= 500 || (versioning === 'idempotency-key' && status === 409);
  if (!passes) return { type: 'refused' };
  const asked = retryAfterMs(retryAfter, now);
  return { type: 'again', afterMs: asked ?? backoffMs(attempt), isAsked: asked !== undefined };
};
export const backoffMs = (attempt: number): number => Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(attempt, 20));

/** Seconds, or a date of HTTP; undefined for none, or another text. */
const retryAfterMs = (text: string | null, now: number): number | undefined => {
  if (text === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_WAIT_MS, Math.max(0, ms));
};
