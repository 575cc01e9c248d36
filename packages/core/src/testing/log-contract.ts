/**
 * The promises of a Log (port/log.ts) as a suite.
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
 *   const module = await loadLogModule(lmdb(path));
 *   const log = await openPort(lmdb(path));
 *   return { log, reopen: () => openPort(lmdb(path)), clean: module.clean, dispose: async () => rmSync(path, { recursive: true }) };
 * });
 */
import { describe, expect, test } from 'vitest';
import type { Log } from '../port/log.ts';
import { appends } from './contract/appends.ts';
import { commits } from './contract/commits.ts';
import { groups } from './contract/groups.ts';
import { reads } from './contract/reads.ts';
import { forgetting } from './contract/forgetting.ts';
import { shape, TOPIC, type LogUnderTest, type OpenLog } from './contract/setting.ts';
import { stores } from './contract/stores.ts';
import { survival } from './contract/survival.ts';

export type { LogUnderTest } from './contract/setting.ts';

export interface Subject {
  readonly log: Log;
  readonly reopen: () => Promise<Log>;
  readonly clean: LogUnderTest['clean'];
}
/** A group of promises: each is a sentence, and a test that shows it. */
export type Promises = (promise: (sentence: string, kept: (subject: Subject) => Promise<void>) => void) => void;

/** Promises that a log does not keep: the beginning of their sentences, such as 'survivors:', with the reason. */
export type NotKept = Readonly<Record<string, string>>;

export const logContract = (name: string, open: OpenLog, notKept: NotKept = {}): void => {
  const left = new Map(Object.keys(notKept).map((beginning) => [beginning, 0]));
  const promise: Parameters<Promises>[0] = (sentence, kept) => {
    const beginning = Object.keys(notKept).find((one) => sentence.startsWith(one));
    if (beginning !== undefined) {
      left.set(beginning, left.get(beginning)! + 1);
      return;
    }
    test(sentence, async () => {
      const subject = await open();
      const opened: Log[] = [subject.log];
      const reopen = async (): Promise<Log> => {
        const log = await subject.reopen();
        opened.push(log);
        return log;
      };
      try {
        await subject.log.ensure([shape(TOPIC)]);
        await kept({ log: subject.log, reopen, clean: subject.clean });
      } finally {
        for (const log of opened) await log[Symbol.asyncDispose]();
        await subject.dispose();
      }
    });
  };
  describe(`the promises of a log, kept by ${name}: reads`, () => reads(promise));
  describe(`the promises of a log, kept by ${name}: commits`, () => commits(promise));
  describe(`the promises of a log, kept by ${name}: appends`, () => appends(promise));
  describe(`the promises of a log, kept by ${name}: stores and topics`, () => stores(promise));
  describe(`the promises of a log, kept by ${name}: groups and endings`, () => groups(promise));
  describe(`the promises of a log, kept by ${name}: survival`, () => survival(promise));
  describe(`the promises of a log, kept by ${name}: forgetting`, () => forgetting(promise));
  if (left.size === 0) return;
  test(`each promise that ${name} does not keep is one of the contract`, () => {
    for (const [beginning, count] of left) console.log(`${name} does not keep ${count} × '${beginning}…': ${notKept[beginning]!}`);
    expect([...left].filter(([, count]) => count === 0)).toEqual([]);
  });
};
