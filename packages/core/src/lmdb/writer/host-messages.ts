/** The messages between the thread that started the writer and the writer. */
import type { MessagePort } from 'node:worker_threads';
import type { ErrorData } from '../../pure/errors.ts';

/** A log's connection to the writer: a port, and its share of the room in the queue (room.ts). */
export interface Line {
  readonly port: MessagePort;
  readonly room: SharedArrayBuffer;
  readonly claims: SharedArrayBuffer;
}
/** 'open' comes first, when the file has been verified, or 'close' where it must not be opened. */
export type HostMessage = { readonly type: 'open' } | { readonly type: 'link'; readonly line: Line } | { readonly type: 'close' };
export type HostAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly error: ErrorData }
  | { readonly type: 'closed' }
  /** A warning for the process, reported as a Node process warning. */
  | { readonly type: 'warned'; readonly code: string; readonly text: string };
