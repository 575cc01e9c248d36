/** A broker of its own, which is killed and comes back. */
import { describe, expect, inject, test } from 'vitest';
import { startBroker } from '../fixtures/broker.ts';
import { startChild } from '../fixtures/child.ts';
import { append, place, shapeOf, valuesOf } from '../fixtures/records.ts';
import { openKafkaLog } from './log.ts';

// Without a broker the reason is printed when the run begins (fixtures/setup.ts).
describe.skipIf(inject('kafka') === undefined)('a log on a broker that is killed', () => {
  test('every acknowledged commit survives, no commit is visible in part, and an open log resumes', async () => {
    const broker = await startBroker();
    try {
      const log = openKafkaLog({ brokers: [broker.address] });
      await log.ensure([shapeOf('in'), shapeOf('left'), shapeOf('right')]);
      await append(log, 'in', 'before');
      using child = startChild('holder', broker.address, '', 1_000);
      await child.says('at 20');
      await broker.crash();
      // The process still runs, or has ended by itself because a commit was refused.
      expect(child.process.exitCode ?? 0).toBe(0);
      child.process.kill('SIGKILL');
      const answered = 20 + (await child.rest()).filter((line) => line.startsWith('at ')).length;
      await append(log, 'in', 'after');
      expect(await valuesOf(log, 'in')).toEqual(['before', 'after']);
      const [{ offset: at } = place(0n)] = await log.committed('g', [place(0n)]);
      expect(Number(at)).toBeGreaterThanOrEqual(answered);
      for (const topic of ['left', 'right']) {
        await append(log, topic, 'last');
        expect(await valuesOf(log, topic)).toEqual([...Array.from({ length: Number(at) }, (_, n) => String(n)), 'last']);
      }
      await log[Symbol.asyncDispose]();
    } finally {
      await broker.stop();
    }
  });
});
