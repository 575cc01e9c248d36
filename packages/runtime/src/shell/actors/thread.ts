/**
 * What a thread of the pool loads first: it imports the actors and hands each call on to them.
 *
 * The pool would `require` them, and a thread that is ended while it requires a graph of ES modules takes the whole process
 * with it (Node 20: "IsGraphAsync must be used on an instantiated module"). One that is ended while it imports them does not.
 */
import type { Start, Warming } from '../../pure/host/mailbox.ts';
import { asUnread, EXIT_LACKING_FILES, lacksFiles } from '../../pure/host/lacks-files.ts';

const actors = import('./actor.ts');
// What went wrong is told at each call.
actors.catch(() => {});

export default async (start: Start | Warming): Promise<void> => {
  try {
    await actors;
  } catch (thrown) {
    const error = asUnread(thrown);
    // Node remembers what could not be imported: nothing will ever run here. Those that wait for it are told first, and the pool gives another.
    setImmediate(() => process.exit(lacksFiles(error) ? EXIT_LACKING_FILES : 1));
    throw error;
  }
  return (await actors).default(start);
};
