/**
 * The promises of a sink (port/sink.ts) that keeps the latest value of each key, as a suite: part of
 * `@stoplog/core/testing/contract`.
 *
 * Each promise gets an empty target. Nothing sleeps: each test awaits a fact. A sink that does not keep a promise names it with the
 * reason (suite.ts).
 *
 * @example
 * sinkContract('a table', async () => {
 *   const { table, drop } = await emptyTable();
 *   const sink = tableSink<string, SinkValue>('rows', { table });
 *   return { open: sink.open, read: () => table.rows(), crash: () => table.failAtPosition(), dispose: drop };
 * });
 */
import type { SinkWriter } from '../port/sink.ts';
import { crashes } from './contract/sinks/crashes.ts';
import { owners } from './contract/sinks/owners.ts';
import { positions } from './contract/sinks/positions.ts';
import { owner, type OpenSink, type SinkPromises, type SinkSubject } from './contract/sinks/setting.ts';
import { versions } from './contract/sinks/versions.ts';
import { suite, type NotKept } from './contract/suite.ts';

export type { SinkUnderTest, SinkValue } from './contract/sinks/setting.ts';

const PARTS: Readonly<Record<string, SinkPromises>> = { positions, versions, crashes, owners };

/** Every promise of a sink. */
export const sinkContract = (name: string, open: OpenSink, notKept: NotKept = {}): void =>
  suite({ kind: 'a sink', name, notKept, parts: PARTS, show: (kept) => showSink(open, kept) });

/** The sentences of the contract, each with its test: for a test of the suite itself. */
export const sinkPromises = (): readonly (readonly [sentence: string, show: (open: OpenSink) => Promise<void>])[] => {
  const all: [string, (open: OpenSink) => Promise<void>][] = [];
  for (const promises of Object.values(PARTS)) promises((sentence, kept) => all.push([sentence, (open) => showSink(open, kept)]));
  return all;
};

const showSink = async (open: OpenSink, kept: (subject: SinkSubject) => Promise<void>): Promise<void> => {
  const under = await open();
  const opened: SinkWriter[] = [];
  const openWriter: SinkSubject['open'] = async (start = {}) => {
    const writer = await under.open(owner(start));
    opened.push(writer);
    return writer;
  };
  try {
    await kept({ open: openWriter, read: () => under.read(), crash: () => under.crash() });
  } finally {
    for (const writer of opened) await writer[Symbol.asyncDispose]();
    await under.dispose();
  }
};
