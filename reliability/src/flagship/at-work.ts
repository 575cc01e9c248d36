/** Announces to the terminator (TERMINATIONS=…) that this thread has seen its first record. */
import { BroadcastChannel, threadId } from 'node:worker_threads';

export const AT_WORK = 'at-work';
let isAnnounced = process.env['TERMINATIONS'] === undefined;

export const announce = (): void => {
  if (isAnnounced) return;
  isAnnounced = true;
  const channel = new BroadcastChannel(AT_WORK);
  channel.unref();
  channel.postMessage(threadId);
};
