/** Between the thread that started the writer and the writer itself. */
import type { MessagePort } from 'node:worker_threads';
import type { ErrorData } from '../../pure/errors.ts';

export type HostMessage = { readonly type: 'link'; readonly port: MessagePort } | { readonly type: 'close' };
export type HostAnswer = { readonly type: 'ready' } | { readonly type: 'failed'; readonly error: ErrorData } | { readonly type: 'closed' };
