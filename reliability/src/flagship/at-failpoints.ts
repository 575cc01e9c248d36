/** A life for each failpoint, killed there. Failpoints that are passed once in a life strike at their first hit. */
import { type Failpoint, FAILPOINTS } from '@stoplog/core/private/failpoints';
import type { Incarnation } from './incarnation.ts';

const ONCE: ReadonlySet<string> = new Set<Failpoint>(['acquire', 'rebalance.written', 'rebalance.assigned', 'release', 'close.draining', 'close.closed']);
/** Passed so often that a late hit is reached too. */
const OFTEN: ReadonlySet<string> = new Set<Failpoint>(['process.before', 'process.handled', 'storage.put']);
/**
 * Not passed by the flagship: losing a group that the process still holds (processes.test.ts stalls a process for longer than
 * its session), the steps of retention and compaction (core/src/lmdb/cleaner/cleaning-kill.test.ts), and copies of a whole
 * log (backup.test.ts and shrink.test.ts there).
 */
export const ELSEWHERE: ReadonlySet<string> = new Set<Failpoint>([
  'rebalance.revoke',
  'retain.advance',
  'retain.deleted',
  'compact.select',
  'compact.copied',
  'compact.swapped',
  'compact.cleaned',
  'backup.copied',
  'backup.whole',
  'backup.placed',
  'restore.copied',
  'restore.placed',
  'shrink.copied',
  'shrink.swapped',
  'shrink.synced',
]);

export const failpointLives = (which: 'first' | 'second' | 'random', random: () => number, mode: 'kill' | 'slow' = 'kill'): readonly Incarnation[] =>
  FAILPOINTS.filter((name) => !ELSEWHERE.has(name)).map((name) => {
    const far = OFTEN.has(name) ? 300 : 4;
    const hit = ONCE.has(name) || which === 'first' ? 1 : which === 'second' ? 2 : 1 + Math.floor(random() * far);
    return { kind: 'failpoint', name, mode, hit };
  });
