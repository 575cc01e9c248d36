/** Promises of the log under transactions of other clients, kills and sleeps of processes, and declarations at the same time. */
import { isStoplogError } from '@stoplog/core';
import { BatchBuilder } from '@stoplog/core/kit';
import type { Log } from '@stoplog/core/port';
import { describe, expect, inject, test } from 'vitest';
import { producerOf } from '../client.ts';
import { startChild } from '../fixtures/child.ts';
import { logOnPrefix } from '../fixtures/prefix.ts';
import { append, message, never, place, shapeOf, valuesOf } from '../fixtures/records.ts';
import { openKafkaLog } from './log.ts';

const broker = inject('kafka');
const NOW = { bytes: 1_000_000, waitMs: 0 };
/** Runs with a log of its own that has the topics `in`, `left` and `right`. */
const withLog = async (run: (log: Log, prefix: string) => Promise<void>): Promise<void> => {
  const { log, dispose, prefix } = logOnPrefix(broker!);
  try {
    await log.ensure([shapeOf('in'), shapeOf('left'), shapeOf('right')]);
    await run(log, prefix);
  } finally {
    await log[Symbol.asyncDispose]();
    await dispose();
  }
};

describe.skipIf(broker === undefined)('a log on Kafka', () => {
  test('a reader skips aborted transactions, one batch at a time, and the control batch after each', () =>
    withLog(async (log, prefix) => {
      const other = producerOf([broker!], `${prefix}other`, 10_000);
      await append(log, 'in', 'a');
      for (let n = 0; n < 2; n++) {
        const aborted = await other.beginTransaction();
        for (const text of ['never', 'nor this']) await aborted.send({ messages: [message(`${prefix}in`, text)] });
        await aborted.abort();
        const kept = await other.beginTransaction();
        await kept.send({ messages: [message(`${prefix}in`, `kept ${n}`)] });
        await kept.commit();
      }
      await append(log, 'in', 'b');
      expect(await valuesOf(log, 'in')).toEqual(['a', 'kept 0', 'kept 1', 'b']);
      await other.close();
    }));

  test('records of an open transaction are beyond the end, and a commit is acknowledged when readers see it', () =>
    withLog(async (log, prefix) => {
      const other = producerOf([broker!], `${prefix}other`, 10_000);
      const open = await other.beginTransaction();
      await open.send({ messages: [message(`${prefix}in`, 'first')] });
      const answered = append(log, 'in', 'second').then(() => 'answered');
      const seen = log.fetch(place(0n), { bytes: 1_000, waitMs: Infinity }, never).then(() => 'seen');
      // The partition ends before the other transaction as long as that is open.
      expect(await log.offsets([place(0n)], 'latest')).toEqual([place(0n)]);
      expect((await log.fetch(place(0n), { bytes: 1_000, waitMs: 300 }, never)).batches).toEqual([]);
      expect(await Promise.race([answered, seen, Promise.resolve('neither')])).toBe('neither');
      await open.commit();
      expect([await answered, await seen]).toEqual(['answered', 'seen']);
      expect(await valuesOf(log, 'in')).toEqual(['first', 'second']);
      await other.close();
    }));

  test('an appended record keeps its null key, null value, empty value, timestamp and headers', () =>
    withLog(async (log) => {
      const builder = new BatchBuilder();
      builder.append('k', null, 5, [
        { name: 'h', value: Buffer.from('1') },
        { name: 'h', value: null },
      ]);
      builder.append(null, new Uint8Array(), 6);
      await log.commit({ group: '', epoch: 0, appends: [{ topic: 'in', partition: 0, batch: builder.finish() }], stores: [], positions: [] });
      const [view] = (await log.fetch(place(0n), NOW, never)).batches;
      expect(view!.next() && [Buffer.from(view!.key()!).toString(), view!.value(), view!.timestamp]).toEqual(['k', null, 5]);
      expect(view!.headers().map(({ name, value }) => [name, value && Buffer.from(value).toString()])).toEqual([
        ['h', '1'],
        ['h', null],
      ]);
      expect(view!.next() && [view!.key(), view!.value()!.length, view!.timestamp]).toEqual([null, 0, 6]);
    }));

  test('of two logs that declare a topic in two shapes at once, one is refused', () =>
    withLog(async (_log, prefix) => {
      const logs = [openKafkaLog({ brokers: [broker!], prefix }), openKafkaLog({ brokers: [broker!], prefix })];
      const outcomes = await Promise.allSettled(logs.map((one, i) => one.ensure([shapeOf('contested', i + 1)])));
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const [refused] = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
      expect(isStoplogError(refused) && refused.code).toBe('STOPLOG_TOPIC_SHAPE');
      for (const one of logs) await one[Symbol.asyncDispose]();
    }));

  test('a process that is killed while it commits leaves whole commits: both topics end at the position of the group', () =>
    withLog(async (log, prefix) => {
      using first = startChild('holder', broker!, prefix, 1_000);
      await first.says('holds');
      await first.says('at 20');
      first.process.kill('SIGKILL');
      using second = startChild('holder', broker!, prefix, 1_000);
      await second.says('at ');
      await second.says('at ');
      second.process.kill('SIGKILL');
      // The transaction that the second left open is aborted by its time-out: the end does not move until then.
      const [{ offset: at } = place(0n)] = await log.committed('g', [place(0n)]);
      const expected = Array.from({ length: Number(at) }, (_, n) => String(n));
      expect(at).toBeGreaterThan(21n);
      await append(log, 'left', 'last');
      await append(log, 'right', 'last');
      expect(await valuesOf(log, 'left')).toEqual([...expected, 'last']);
      expect(await valuesOf(log, 'right')).toEqual([...expected, 'last']);
    }));

  test('a process that sleeps for longer than its session is refused when it wakes, and another has its place', () =>
    withLog(async (log, prefix) => {
      using sleeper = startChild('holder', broker!, prefix, 500);
      const [, old] = (await sleeper.says('holds')).split(' ');
      await sleeper.says('at 3');
      sleeper.process.kill('SIGSTOP');
      const stop = new AbortController();
      const assignments = log.join('g', { units: [[{ topic: 'in', partition: 0 }]] }, stop.signal)[Symbol.asyncIterator]();
      const next = async (): Promise<number | undefined> => (await assignments.next()).value?.partitions[0]?.epoch as number | undefined;
      let epoch = await next();
      while (epoch === undefined) epoch = await next();
      expect(epoch).toBeGreaterThan(Number(old));
      const [{ offset: from } = place(0n)] = await log.committed('g', [place(0n)]);
      await log.commit({ group: 'g', epoch, appends: [], stores: [], positions: [{ ...place(0n), from, to: from + 100n }] });
      sleeper.process.kill('SIGCONT');
      expect(await sleeper.says('ended')).toBe('ended STOPLOG_FENCED');
      expect(await log.committed('g', [place(0n)])).toEqual([place(from + 100n)]);
      stop.abort();
      await assignments.return!();
    }));
});
