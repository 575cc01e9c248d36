/**
 * Failpoints: named places at which a test makes a process fail, stand still, or die.
 *
 * They are armed from outside, once, while this module loads, so that what is tested is what ships. Where nothing is armed
 * `failpoint` is an empty function that the compiler inlines: 10⁸ calls cost what 10⁸ additions do.
 *
 *   STOPLOG_FAILPOINTS="append.written=kill#3;commit.before=slow"
 *
 *   fail       throws an error with the code EIO, as a disk does that cannot write
 *   slow       blocks its thread for 200 ms, `slow:2000` for so many: opens races
 *   kill       SIGKILL to its own process: no handler, no flush, no `finally`
 *   #3         only the third time; #3+ the third time and ever after; left out, every time. Counted in each thread
 *
 * What has struck is noted in the file that STOPLOG_FAILPOINTS_STRUCK names, before it strikes: the note outlives the process.
 */
import { openSync, writeSync } from 'node:fs';
import { StoplogError } from '../pure/errors.ts';

/** Every place there is, in the order in which a record meets them. */
export const FAILPOINTS = [
  'append.before', // a commit from outside is about to be sent to the writer
  'append.acked', // its answer has come, and its caller does not know yet
  'append.written', // its records are put, inside the transaction
  'append.committed', // the transaction has ended: visible and flushed (on LMDB one step), nobody has been answered
  'process.before', // a handler is about to see a record
  'process.handled', // it has
  'state.staged', // outputs, store writes and positions are one commit, in memory
  'outputs.staged', // that commit is about to leave the actor
  'commit.before', // it is encoded, and about to be sent to the writer
  'commit.written', // all of it is put, inside the transaction
  'commit.applied', // its answer has come, and the actor does not know yet
  'commit.acked', // the actor has noted it
  'lock.taken', // the writer is inside a transaction, with nothing put
  'rebalance.written', // a change of a group's members or of what they hold is put, inside the transaction
  'acquire', // a member has been given partitions, and does not know yet
  'rebalance.assigned', // an app has been told that the partitions are its own
  'rebalance.revoke', // an app has been told that they no longer are
  'release', // partitions are about to be handed over, or the group to be left
  'close.draining', // an app has been asked to end
  'close.closed', // its actors have ended, and the log is about to be closed
  'retain.advance', // retention is about to move a start
  'retain.deleted', // some of what lies below a start has been removed
  'compact.select', // a pass over a partition begins
  'compact.copied', // some of its batches are made anew, in memory
  'compact.swapped', // they are in their places
  'compact.cleaned', // the pass has ended, and is noted
  'backup.copied', // the copy of a data file is made, verified and flushed, and has no manifest yet
  'backup.whole', // it has, and lies beside its place
  'backup.placed', // it is in its place
  'restore.copied', // a data file is made from a backup and verified, and lies beside its place
  'restore.placed', // it is in its place, which is not yet marked as a log
  'shrink.copied', // the smaller file is made, verified and flushed
  'shrink.swapped', // it has the old one's name
  'shrink.synced', // and for good
  'storage.put', // before each put of the storage
  'storage.read', // before each read of batches
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

interface Armed {
  readonly mode: 'fail' | 'slow' | 'kill';
  readonly ms: number;
  readonly from: number;
  readonly to: number;
  hits: number;
}
const DEFAULT_SLOW_MS = 200;

/** What the variable arms; a name or a mode that does not exist is refused, for a test that hits nothing proves nothing. */
export const parseFailpoints = (text: string): ReadonlyMap<Failpoint, Armed> =>
  new Map(
    text
      .split(';')
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const found = /^([\w.]+)=(fail|slow|kill)(?::(\d+))?(?:#(\d+)(\+?))?$/.exec(part.trim());
        const name = FAILPOINTS.find((one) => one === found?.[1]);
        if (found === null || name === undefined) {
          throw new StoplogError(
            'STOPLOG_USAGE',
            { failpoint: part },
            `STOPLOG_FAILPOINTS holds '${part}': write name=fail, name=slow:500 or name=kill#3 with a name of ${FAILPOINTS.join(', ')}`,
          );
        }
        const from = Number(found[4] ?? 1);
        return [
          name,
          {
            mode: found[2] as Armed['mode'],
            ms: Number(found[3] ?? DEFAULT_SLOW_MS),
            from,
            to: found[4] === undefined || found[5] === '+' ? Infinity : from,
            hits: 0,
          },
        ];
      }),
  );

const strike = (name: Failpoint, { mode, ms, hits }: Armed): void => {
  const struck = process.env['STOPLOG_FAILPOINTS_STRUCK'];
  if (struck !== undefined) writeSync(openSync(struck, 'a'), `${name} ${mode} ${hits}\n`);
  if (mode === 'fail') throw Object.assign(new Error(`EIO: the failpoint '${name}' struck`), { code: 'EIO' });
  if (mode === 'kill') process.kill(process.pid, 'SIGKILL');
  // A signal may take a moment to arrive: nothing happens in between.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, mode === 'kill' ? Infinity : ms);
};

const armed = parseFailpoints(process.env['STOPLOG_FAILPOINTS'] ?? '');

/** A place that a test may strike. Does nothing unless the variable says so. */
export const failpoint: (name: Failpoint) => void =
  armed.size === 0
    ? () => {}
    : (name) => {
        const here = armed.get(name);
        if (here === undefined) return;
        here.hits++;
        if (here.hits >= here.from && here.hits <= here.to) strike(name, here);
      };
