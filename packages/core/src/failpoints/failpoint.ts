/**
 * Failpoints: named points in the code at which a test makes a process fail, stall or die.
 *
 * Private to Stoplog: `@stoplog/core/private/failpoints` is for our own runtime and reliability harness, is in no API report, and
 * may change in any release.
 *
 * A failpoint is armed from outside, once, while this module loads, so that the tested code is the shipped code. When none is
 * armed `failpoint` is an empty function that the compiler inlines: 10⁸ calls cost what 10⁸ additions do.
 *
 *   STOPLOG_FAILPOINTS="append.written=kill#3;commit.before=slow"
 *
 *   fail       throws an error with the code EIO, as a disk does that cannot write
 *   slow       blocks its thread for 200 ms, `slow:2000` for 2,000: opens races
 *   kill       SIGKILL to its own process: no handler, no flush, no `finally`
 *   #3         only the third time; #3+ from the third time on; every time without it. Counted in each thread
 *
 * Each strike is noted in the file STOPLOG_FAILPOINTS_STRUCK before it happens: the note outlives the process.
 */
import { openSync, writeSync } from 'node:fs';
import { StoplogError } from '../pure/errors.ts';

/** Every failpoint, in the order in which a record passes them. */
export const FAILPOINTS = [
  'append.before', // an append from outside is about to be sent to the writer
  'append.acked', // the append's answer has arrived, and its caller does not know yet
  'append.written', // the append's records are put, inside the transaction
  'append.committed', // the transaction has ended: visible and flushed (one step on LMDB), no caller has been answered
  'process.before', // a handler is about to see a record
  'process.handled', // the handler has returned
  'state.staged', // outputs, store writes and positions are one commit, in memory
  'outputs.staged', // the commit is about to leave the actor
  'commit.before', // the commit is encoded, and about to be sent to the writer
  'commit.written', // the whole commit is put, inside the transaction
  'commit.applied', // the commit's answer has arrived, and the actor does not know yet
  'commit.acked', // the actor has recorded the answer
  'lock.taken', // the writer is inside a transaction, with nothing put
  'rebalance.written', // a change of a group's members or assignments is put, inside the transaction
  'acquire', // a member has been assigned partitions, and does not know yet
  'rebalance.assigned', // an app has been notified of its new partitions
  'rebalance.revoke', // an app has been notified that its partitions are revoked
  'release', // partitions are about to be released, or the group to be left
  'close.draining', // an app has been asked to close
  'close.closed', // the app's actors have ended, and the log is about to be closed
  'retain.advance', // retention is about to move a start
  'retain.deleted', // some batches below a start have been removed
  'compact.select', // a pass over a partition begins
  'compact.copied', // some of the pass's batches are rewritten, in memory
  'compact.swapped', // the rewritten batches are stored
  'compact.cleaned', // the pass has ended, and is recorded
  'backup.copied', // the copy of a data file is made, verified and flushed, and has no manifest yet
  'backup.whole', // the copy has its manifest, next to its final path
  'backup.placed', // the backup is at its final path
  'restore.copied', // a data file is made from a backup and verified, next to its final path
  'restore.placed', // the data file is at its final path, which is not yet marked as a log
  'shrink.copied', // the smaller file is made, verified and flushed
  'shrink.swapped', // the smaller file has the old one's name
  'shrink.synced', // the new name is flushed
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

/** Parses the variable. An unknown name or mode is refused, since a test that hits no failpoint proves nothing. */
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
  // A signal may take a moment to arrive: the thread waits here, and does nothing in between.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, mode === 'kill' ? Infinity : ms);
};

const armed = parseFailpoints(process.env['STOPLOG_FAILPOINTS'] ?? '');

/** Marks a point at which a test may strike. Does nothing unless the variable arms it. */
export const failpoint: (name: Failpoint) => void =
  armed.size === 0
    ? () => {}
    : (name) => {
        const here = armed.get(name);
        if (here === undefined) return;
        here.hits++;
        if (here.hits >= here.from && here.hits <= here.to) strike(name, here);
      };
