/**
 * Every message between the host and an actor: one discriminated union each way. Nothing else crosses.
 */
import type { Dropped } from '../nodes/drops.ts';
import type { Reset } from '@stoplog/core';
import type { LogLink, LogRef } from '@stoplog/core/port';
import type { ErrorData } from '@stoplog/core/kit';
import type { Jump, Place } from '../actor/place.ts';

/** A thread's end of a line to another: a port can be transferred, and posts messages. */
export type Line = Extract<LogLink['transfer'][number], { postMessage(message: unknown): void }>;

/** For a thread that has no actor yet: import the pipeline, open the log, and be ready for one. */
export interface Warming {
  readonly url: string;
  readonly fingerprint: string;
  readonly log: LogRef;
  /** Whether it has begun, and whether it still may. */
  readonly beacon: SharedArrayBuffer;
  readonly port: Line;
}

/** What an actor is started with. */
export interface Start extends Warming {
  readonly task: number;
  readonly partition: number;
  readonly epoch: number;
  /** A record that failed before: everything ahead of it is committed before it is tried again, alone. */
  readonly suspect: Place | undefined;
  /** Records to take at a time until the suspect is behind: it is one of several, and so they are told apart. */
  readonly pace: number | undefined;
  /** Where to go on when the log has forgotten what comes next. */
  readonly reset: Reset;
  /** A line to the reader of the task's source, in the thread for sources; of a source that yields bytes. */
  readonly line?: Line | undefined;
}

export type ToActor =
  | { readonly type: 'link'; readonly link: LogLink['data'] }
  /** Finish what is begun, commit, and end. */
  | { readonly type: 'drain' }
  /** Say 'idle' once, when everything that is there has been committed. */
  | { readonly type: 'tell-idle' };

export type FromActor =
  | { readonly type: 'need-link' }
  | { readonly type: 'running' }
  | { readonly type: 'idle' }
  | { readonly type: 'reset'; readonly jump: Jump }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'failed'; readonly error: ErrorData; readonly place: Place | undefined; readonly among: number };

/** What happened since the last report. */
export interface Progress {
  readonly recordsIn: number;
  readonly recordsOut: number;
  readonly commits: number;
  /** Records without a key that verbs have left out. */
  readonly dropped?: readonly Dropped[];
  /** How long commits took, in ms; a sample of them. */
  readonly commitMs: readonly number[];
}
