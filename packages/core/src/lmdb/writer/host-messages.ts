/** Between the thread that started the writer and the writer itself. */
import type { MessagePort } from 'node:worker_threads';
import type { ErrorData } from '../../pure/errors.ts';

/** A log's connection to the writer: a port, and its share of the room in the queue (room.ts). */
export interface Line {
  readonly port: MessagePort;
  readonly room: SharedArrayBuffer;
  readonly claims: SharedArrayBuffer;
}
/** 'open' comes first, when the file has been looked at, or 'close' where it is not to be opened. */
export type HostMessage = { readonly type: 'open' } | { readonly type: 'link'; readonly line: Line } | { readonly type: 'close' };
export type HostAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly error: ErrorData }
  | { readonly type: 'closed' }
  /** What the process is to be warned of, as a Node process warning. */
  | { readonly type: 'warned'; readonly code: string; readonly text: string };
