/**
 * The first module of a thread of the pool: it imports the actors and passes each call on to them.
 *
 * The pool would `require` them, and a thread that is ended while it requires a graph of ES modules takes the whole process with it (Node
 * 20: "IsGraphAsync must be used on an instantiated module"). A thread that is ended while it imports them does not.
 */
import type { Start, Warming } from '../../pure/host/mailbox.ts';
import { asUnread, EXIT_LACKING_FILES, lacksFiles } from '../../pure/host/lacks-files.ts';

const actors = import('./actor.ts');
// A failed import is reported at each call.
actors.catch(() => {});

export default async (start: Start | Warming): Promise<void> => {
  try {
    await actors;
  } catch (thrown) {
    const error = asUnread(thrown);
    // Node caches the failed import: no actor will ever run here. The waiting calls are answered first, then the thread exits and the
    // pool starts another.
    setImmediate(() => process.exit(lacksFiles(error) ? EXIT_LACKING_FILES : 1));
    throw error;
  }
  return (await actors).default(start);
};
