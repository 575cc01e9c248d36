/**
 * Every message between the host and an actor: one discriminated union each way. Nothing else crosses.
 */
import type { Dropped } from '../nodes/drops.ts';
import type { Reset } from '@stoplog/core';
import type { LogLink, LogRef } from '@stoplog/core/port';
import type { ErrorData } from '@stoplog/core/kit';
import type { Careful, Step } from '../actor/careful.ts';
import type { Jump, Place } from '../actor/place.ts';

/** A thread's end of a line to another: a port can be transferred, and posts messages. */
export type Line = Extract<LogLink['transfer'][number], { postMessage(message: unknown): void }>;

/** Prepares a thread that has no actor yet: import the pipeline, open the log, and be ready for an actor. */
export interface Warming {
  readonly url: string;
  readonly fingerprint: string;
  /** Only what leads to these stores runs, to rebuild them; left out, the whole pipeline runs. */
  readonly rebuilds?: readonly string[] | undefined;
  readonly log: LogRef;
  /** Shared flags: the thread has begun, and the thread still may. */
  readonly beacon: SharedArrayBuffer;
  readonly port: Line;
}

/** The message that starts an actor. */
export interface Start extends Warming {
  readonly task: number;
  readonly partition: number;
  readonly epoch: number;
  /** The actor's part of the heap of its thread. */
  readonly heapMb: number;
  /** A record that failed before: every record ahead of it is committed before it is tried again, alone. */
  readonly suspect: Place | undefined;
  /** Records to take at a time until the suspect is behind: any of several records may be at fault, and small commits single it out. */
  readonly pace: number | undefined;
  /** The unit is suspect of ending processes: it begins in small steps, and asks before each. */
  readonly careful?: Careful | undefined;
  /** The auto offset reset: where to resume when the log no longer has the next record. */
  readonly reset: Reset;
  /** A line to the reader of the task's source, in the thread for sources; only for a source that yields bytes. */
  readonly line?: Line | undefined;
}

export type ToActor =
  | { readonly type: 'link'; readonly link: LogLink['data'] }
  /** Finish the batch in progress, commit, and end. */
  | { readonly type: 'drain' }
  /** The answer to 'enter'. */
  | { readonly type: 'entered' }
  /** Send 'idle' once, when every record found has been committed. */
  | { readonly type: 'ask-idle' };

export type FromActor =
  | { readonly type: 'need-link' }
  | { readonly type: 'running' }
  | { readonly type: 'idle' }
  | { readonly type: 'reset'; readonly jump: Jump }
  /** A suspect asks for leave to take a step, and has committed it. */
  | { readonly type: 'enter'; readonly step: Step }
  | { readonly type: 'leave'; readonly isLast: boolean }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'failed'; readonly error: ErrorData; readonly place: Place | undefined; readonly among: number };

/** The counts since the last report. */
export interface Progress {
  readonly recordsIn: number;
  readonly recordsOut: number;
  readonly commits: number;
  /** Records without a key that verbs dropped. */
  readonly dropped?: readonly Dropped[];
  /** The durations of commits, in ms; a sample. */
  readonly commitMs: readonly number[];
}
