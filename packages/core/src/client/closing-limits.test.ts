/** The limits of a close, by a clock that the test moves: 4 s until no further record is taken, 5 s until the log is closed over the rest. */
import { topic, type LogClient } from '@stoplog/core';
import { makeClient } from '@stoplog/core/kit';
import { memoryLog } from '@stoplog/core/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';

const letters = topic('letters', { key: z.string(), value: z.string(), partitions: 1 });
const large = 'x'.repeat(1024 * 1024);
const some = (records: number): readonly { readonly key: string; readonly value: string }[] =>
  Array.from({ length: records }, (_, n) => ({ key: `${n}`, value: large }));
const CLOSED = { code: 'STOPLOG_LOG_UNAVAILABLE' };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Held {
  readonly client: LogClient;
  /** Commits that wait for their answer. */
  readonly held: (() => void)[];
  /** Answers the held commits, and every later one at once. */
  readonly answer: () => void;
  readonly isClosed: () => boolean;
}
/** A client over a log that answers no commit until it is told to. */
const holding = (): Held => {
  const log = memoryLog();
  const commit = log.commit.bind(log);
  const held: (() => void)[] = [];
  let answers = false;
  log.commit = async (...given) => {
    if (!answers) await new Promise<void>((resolve) => held.push(resolve));
    return commit(...given);
  };
  let isClosed = false;
  const client = makeClient(log, async () => {
    isClosed = true;
    await log[Symbol.asyncDispose]();
  });
  const answer = (): void => {
    answers = true;
    for (const resolve of held.splice(0)) resolve();
  };
  return { client, held, answer, isClosed: () => isClosed };
};
/** Lets everything happen that happens without the clock. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const state = (promise: PromiseLike<unknown>): { now: string } => {
  const seen = { now: 'pending' };
  promise.then(
    () => (seen.now = 'resolved'),
    () => (seen.now = 'rejected'),
  );
  return seen;
};

test('a close without calls under way is over at once, and leaves no timer', async () => {
  const { client, isClosed } = holding();
  await client[Symbol.asyncDispose]();
  expect([isClosed(), vi.getTimerCount()]).toEqual([true, 0]);
});

test('a log that does not answer is closed after five seconds, and not before', async () => {
  const { client, held, isClosed } = holding();
  const appending = state(client.append(letters, some(1)));
  await settle();
  expect(held).toHaveLength(1);
  const closing = state(client[Symbol.asyncDispose]());
  await vi.advanceTimersByTimeAsync(4_999);
  await settle();
  expect([isClosed(), closing.now]).toEqual([false, 'pending']);
  await vi.advanceTimersByTimeAsync(1);
  await settle();
  expect([isClosed(), closing.now, appending.now, vi.getTimerCount()]).toEqual([true, 'resolved', 'pending', 0]);
});

test('an append of an array takes its records for four seconds after the close began', async () => {
  const { client, held, answer, isClosed } = holding();
  const appending = client.append(letters, some(20));
  await settle();
  const closing = client[Symbol.asyncDispose]();
  await vi.advanceTimersByTimeAsync(3_999);
  expect(held.length).toBeGreaterThan(0);
  answer();
  expect(await appending).toEqual({ records: 20 });
  await closing;
  expect([isClosed(), vi.getTimerCount()]).toEqual([true, 0]);
});

test('after four seconds, appends that wait take no further record and say how many are in the log', async () => {
  const { client, answer, isClosed } = holding();
  const first = client.append(letters, some(20));
  // The first one has all the credit of the client.
  const fill = client.append(letters, some(20));
  await settle();
  const waiting = client.append(letters, some(1));
  await settle();
  expect(client.pressure.waiting).toBeGreaterThan(0);
  const [ends, closing] = [Promise.allSettled([first, fill, waiting]), client[Symbol.asyncDispose]()];
  const late = state(waiting);
  await vi.advanceTimersByTimeAsync(3_999);
  await settle();
  expect(late.now).toBe('pending');
  await vi.advanceTimersByTimeAsync(1);
  await settle();
  expect(late.now).toBe('rejected');
  answer();
  await closing;
  const taken = (await ends).map((one) => (one.status === 'rejected' ? (one.reason as { readonly facts: { readonly appended: number } }).facts.appended : NaN));
  expect(taken[0]).toBeGreaterThan(0);
  expect(taken[0]).toBeLessThan(20);
  expect(taken[2]).toBe(0);
  await expect(waiting).rejects.toMatchObject(CLOSED);
  expect([isClosed(), vi.getTimerCount()]).toEqual([true, 0]);
});
