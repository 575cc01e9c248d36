/**
 * Every message between an actor and the reader of its source, which runs in another thread: one union for each direction.
 *
 * Arrivals cross as one encoded batch, as records do everywhere; beside the batch go the source's own names for the arrivals. A reader
 * has at most one pull under way. Other calls are numbered, and answered by their number.
 */
import type { PullLimit, SourceStart } from '@stoplog/core/port';
import type { ErrorData } from '@stoplog/core/kit';

export type ToReader =
  | { readonly type: 'open'; readonly start: SourceStart }
  | { readonly type: 'pull'; readonly limit: PullLimit }
  /** Answer the pull now, with the arrivals read so far. */
  | { readonly type: 'stop' }
  | { readonly type: 'acknowledge'; readonly call: number; readonly items: readonly unknown[]; readonly position: bigint }
  | { readonly type: 'release'; readonly call: number; readonly items: readonly unknown[]; readonly afterMs: number }
  | { readonly type: 'extend'; readonly call: number; readonly items: readonly unknown[]; readonly ms: number }
  | { readonly type: 'close'; readonly call: number };

export type FromReader =
  | { readonly type: 'opened' }
  | {
      readonly type: 'arrivals';
      /** An encoded batch with one record for each item; undefined where nothing has arrived. */
      readonly batch: Uint8Array | undefined;
      readonly items: readonly unknown[];
      readonly position: bigint | undefined;
      readonly ended: boolean;
    }
  | { readonly type: 'done'; readonly call: number }
  /** A call failed, by its number; without one, opening or the pull did. */
  | { readonly type: 'failed'; readonly call: number | undefined; readonly error: ErrorData };
