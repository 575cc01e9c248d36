/**
 * `@stoplog/core/testing/contract`: the promises of a Log (port/log.ts) as a suite, and those of a log that numbers its
 * appends (port/numbered-log.ts) as a second one.
 *
 * Each promise gets a log of its own, empty but for one topic of two partitions. Nothing sleeps: each test awaits a fact, and
 * a promise that is broken by waiting for ever fails by the test's time limit.
 *
 * A log that does not keep a promise yet names it with the reason. The suite prints both, and fails when a name is no
 * beginning of any promise, so that the list cannot go stale.
 *
 * @example
 * logContract('lmdb', async () => {
 *   const path = mkdtempSync(join(tmpdir(), 'log-'));
 *   const { clean } = await loadTools(lmdb(path));
 *   const log = await openPort(lmdb(path));
 *   return { log, reopen: () => openPort(lmdb(path)), clean, dispose: async () => rmSync(path, { recursive: true }) };
 * });
 */
import type { Log } from '../port/log.ts';
import type { NumberedLog } from '../port/numbered-log.ts';
import { assert } from '../pure/errors.ts';
import { arrival } from './contract/arrival.ts';
import { commits } from './contract/commits.ts';
import { groups } from './contract/groups.ts';
import { numbers } from './contract/numbers.ts';
import { reads } from './contract/reads.ts';
import { forgetting } from './contract/cleaning.ts';
import { shape, TOPIC, type OpenLog, type Subject } from './contract/setting.ts';
import { stores } from './contract/stores.ts';
import { suite, type NotKept } from './contract/suite.ts';
import { survival } from './contract/survival.ts';

export type { LogUnderTest } from './contract/setting.ts';

/** Every promise of the port. */
export const logContract = (name: string, open: OpenLog, notKept: NotKept = {}): void =>
  suite({
    kind: 'a log',
    name,
    notKept,
    parts: { reads, commits, arrival, 'stores and topics': stores, 'groups and endings': groups, survival, forgetting },
    show: (kept) => show(open, kept),
  });

/** The further promises of a log that numbers its appends. */
export const numberedLogContract = (name: string, open: OpenLog<NumberedLog>, notKept: NotKept = {}): void =>
  suite({ kind: 'a log', name, notKept, parts: { 'once and condition': numbers }, show: (kept) => show(open, kept) });

const show = async <L extends Log>(open: OpenLog<L>, kept: (subject: Subject<L>) => Promise<void>): Promise<void> => {
  const subject = await open();
  const opened: L[] = [subject.log];
  const reopen = async (): Promise<L> => {
    const log = await subject.reopen();
    opened.push(log);
    return log;
  };
  const clean: Subject<L>['clean'] = (log, options) => {
    assert(subject.clean !== undefined, 'a log without retention on command names the promises that need it as not kept');
    return subject.clean(log, options);
  };
  try {
    await subject.log.ensure([shape(TOPIC)]);
    await kept({ log: subject.log, reopen, clean });
  } finally {
    for (const log of opened) await log[Symbol.asyncDispose]();
    await subject.dispose();
  }
};
