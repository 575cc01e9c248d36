/**
 * The promises of a Log (port/log.ts) as a suite. Every keeper of logs runs it whole: there is no way to skip one.
 *
 * Each promise gets a log of its own, empty but for one topic of two partitions. Nothing sleeps: what has to be waited
 * for is awaited, and a promise that is broken by waiting for ever is found by the test's time limit.
 *
 * @example
 * logContract('lmdb', async () => {
 *   const path = mkdtempSync(join(tmpdir(), 'log-'));
 *   const log = await openPort(lmdb(path));
 *   return { log, reopen: () => openPort(lmdb(path)), dispose: async () => rmSync(path, { recursive: true }) };
 * });
 */
import { describe, test } from 'vitest';
import type { Log } from '../port/log.ts';
import { commits } from './contract/commits.ts';
import { groups } from './contract/groups.ts';
import { reads } from './contract/reads.ts';
import { shape, TOPIC, type OpenLog } from './contract/setting.ts';
import { stores } from './contract/stores.ts';
import { survival } from './contract/survival.ts';

export type { LogUnderTest } from './contract/setting.ts';

export interface Subject {
  readonly log: Log;
  readonly reopen: () => Promise<Log>;
}
/** A group of promises: each in a sentence, with what shows it. */
export type Promises = (promise: (sentence: string, kept: (subject: Subject) => Promise<void>) => void) => void;

export const logContract = (name: string, open: OpenLog): void => {
  const promise: Parameters<Promises>[0] = (sentence, kept) => {
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
        await kept({ log: subject.log, reopen });
      } finally {
        for (const log of opened) await log[Symbol.asyncDispose]();
        await subject.dispose();
      }
    });
  };
  describe(`the promises of a log, kept by ${name}: reads`, () => reads(promise));
  describe(`the promises of a log, kept by ${name}: commits`, () => commits(promise));
  describe(`the promises of a log, kept by ${name}: stores and topics`, () => stores(promise));
  describe(`the promises of a log, kept by ${name}: groups and endings`, () => groups(promise));
  describe(`the promises of a log, kept by ${name}: survival`, () => survival(promise));
};
