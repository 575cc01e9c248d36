/**
 * What a thread of the pool loads first: it imports the actors and hands each call on to them.
 *
 * The pool would `require` them, and a thread that is ended while it requires a graph of ES modules takes the whole process
 * with it (Node 20: "IsGraphAsync must be used on an instantiated module"). One that is ended while it imports them does not.
 */
import type { Start, Warming } from '../../pure/mailbox.ts';

const actors = import('./actor.ts');
// What went wrong is told at each call.
actors.catch(() => {});

export default async (start: Start | Warming): Promise<void> => (await actors).default(start);
