/**
 * Compares LMDB's log with the memory log, the simplest one that keeps the promises: both must read the same after any
 * sequence.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment, NumberedCommit, NumberedLog, ProducerIncarnation, TopicShape } from '@stoplog/core/port';
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { MemoryDisk, memoryLog } from '@stoplog/core/testing';
import { lmdb } from '@stoplog/core/lmdb';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const PARTITIONS = 2;
const TOPIC: TopicShape = {
  name: 't',
  partitions: PARTITIONS,
  cleanup: 'compact',
  retentionMs: 60,
  forgetting: { ageBy: 'timestamp', segmentBytes: 300, segmentMs: 40, deleteRetentionMs: 20 },
  keyCodec: 'bytes',
  valueCodec: 'bytes',
  keySchema: {},
  valueSchema: {},
};
const places = Array.from({ length: PARTITIONS }, (_, partition) => ({ topic: 't', partition }));
const never = new AbortController().signal;

const partition = fc.nat(PARTITIONS - 1);
const bytes = fc.uint8Array({ maxLength: 6 });
const record = fc.record({
  key: fc.option(bytes),
  value: fc.option(fc.uint8Array({ maxLength: 40 })),
  timestamp: fc.integer({ min: -50, max: 50 }),
  gap: fc.constantFrom(0, 0, 0, 2),
});
const commit = fc.record({
  inGroup: fc.boolean(),
  epochOff: fc.constantFrom(0, 0, 0, 1),
  appends: fc.array(
    fc.record({
      partition,
      records: fc.array(record, { minLength: 1, maxLength: 4 }),
      tail: fc.constantFrom(0, 0, 3),
      // Mostly the next sequence, or an earlier one.
      sequence: fc.option(fc.constantFrom(0, 0, 0, -1, -2, -4, 1), { freq: 2 }),
      expectedEnd: fc.option(fc.constantFrom(0n, 0n, 0n, 1n), { freq: 2 }),
    }),
    { maxLength: 3 },
  ),
  entries: fc.array(fc.record({ partition, key: bytes, value: fc.option(bytes) }), { maxLength: 4 }),
  moves: fc.array(fc.record({ partition, fromOff: fc.constantFrom(0n, 0n, 0n, 1n), by: fc.bigInt(0n, 5n) }), { maxLength: 2 }),
});
type CommitPlan = typeof commit extends fc.Arbitrary<infer T> ? T : never;
const action = fc.oneof(
  { weight: 8, arbitrary: fc.array(commit, { minLength: 1, maxLength: 4 }).map((commits) => ({ type: 'commits', commits }) as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'take over' } as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'producer' } as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'reopen' } as const) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('clean' as const), roll: fc.boolean(), now: fc.integer({ min: -50, max: 90 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('delete records' as const), partition, share: fc.double({ min: 0, max: 1.1, noNaN: true }) }) },
);

interface MemberStatus {
  readonly epoch: number;
  readonly stands: readonly bigint[];
  readonly ends: readonly bigint[];
  /** The sequence that the producer's next batch of each partition should have. */
  readonly next: readonly number[];
}
const sizeOf = ({ records, tail }: CommitPlan['appends'][number]): number => records.reduce((sum: number, { gap }) => sum + gap + 1, tail);
const plannedCommit = (plan: CommitPlan, { epoch, stands, ends, next }: MemberStatus, incarnation: ProducerIncarnation): NumberedCommit => ({
  group: plan.inGroup ? 'g' : '',
  epoch: epoch + plan.epochOff,
  appends: plan.appends.map(({ partition, records, tail, sequence, expectedEnd }) => {
    const builder = new BatchBuilder();
    let delta = 0;
    for (const { key, value, timestamp, gap } of records) builder.appendAt((delta += gap + 1) - 1, key, value, timestamp);
    return {
      topic: 't',
      partition,
      batch: builder.finish(delta - 1 + tail),
      ...(sequence === null ? {} : { producer: { ...incarnation, sequence: Math.max(0, next[partition]! + sequence) } }),
      ...(expectedEnd === null ? {} : { expectedEnd: ends[partition]! + expectedEnd }),
    };
  }),
  stores: plan.entries.map(({ partition, key, value }) => ({ store: 's', partition, keys: [key], values: [value] })),
  positions: plan.inGroup
    ? plan.moves.map(({ partition, fromOff, by }) => ({ topic: 't', partition, from: stands[partition]! + fromOff, to: stands[partition]! + fromOff + by }))
    : [],
});

/** Everything that a reader can see. */
const seen = async (log: NumberedLog): Promise<unknown> => {
  const starts = await log.offsets(places, 'earliest');
  const ends = await log.offsets(places, 'latest');
  const records: unknown[] = [];
  for (const { topic, partition, offset: end } of ends) {
    for (let next = starts[partition]!.offset; next < end;) {
      const batch = await log.fetch({ topic, partition, offset: next }, { bytes: 1, waitMs: 0 }, never);
      for (const view of batch.batches)
        while (view.next()) if (view.offset >= batch.from) records.push([partition, view.offset, view.timestamp, hex(view.key()), hex(view.value())]);
      next = batch.next;
    }
  }
  const times = await Promise.all([-60, -20, 0, 1, 20, 51].map((time) => log.offsets(places, { time })));
  const stores = await Promise.all(
    places.map(async ({ partition }) => (await openStore(log, partition)).range({}, 1_000).map(([key, value]) => [hex(key), hex(value)])),
  );
  return { starts, ends, records, times, stores, committed: await log.committed('g', places) };
};
const hex = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString('hex');
const openStore = (log: NumberedLog, partition: number): ReturnType<NumberedLog['store']> =>
  log.store({ store: 's', partition, group: 'g', version: 1, fingerprint: '' }, never);
const prepare = async (log: NumberedLog): Promise<NumberedLog> => {
  await log.ensure([TOPIC]);
  await openStore(log, 0);
  return log;
};
const outcome = (settled: PromiseSettledResult<{ readonly offsets: readonly bigint[] }>): unknown =>
  settled.status === 'fulfilled' ? settled.value.offsets : (settled.reason as { code?: string }).code;

test('LMDB and the memory log agree after any sequence of commits, repetitions, refusals, takeovers, cleanings, deletions and reopenings', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 8 }), async (actions) => {
      const path = mkdtempSync(join(tmpdir(), 'stoplog-agree-'));
      const disk = new MemoryDisk({ holes: false });
      const ref = lmdb(path, { maintenance: { everyMs: Infinity } });
      const { clean } = await loadTools(ref);
      const open = (): Promise<NumberedLog>[] => [openPort(ref).then(prepare), prepare(memoryLog({ disk }))];
      let logs = await Promise.all(open());
      let epoch = 0;
      let members: readonly AsyncIterator<Assignment>[] = [];
      const leave = (): Promise<unknown> => Promise.all(members.map((member) => member.return!()));
      let producers = await Promise.all(logs.map((log) => log.producer('p')));
      const next = places.map(() => 0);
      try {
        for (const step of actions) {
          if (step.type === 'commits') {
            const stands = (await logs[1]!.committed('g', places)).map(({ offset }) => offset);
            const ends = (await logs[1]!.offsets(places, 'latest')).map(({ offset }) => offset);
            const description = { epoch, stands, ends, next: [...next] };
            const [ours, oracle] = await Promise.all(
              logs.map(async (log, i) =>
                (await Promise.allSettled(step.commits.map((plan) => log.commit(plannedCommit(plan, description, producers[i]!))))).map(outcome),
              ),
            );
            expect(ours).toEqual(oracle);
            // A guess is enough: the next sequence follows the last batch, if no commit was refused.
            for (const [i, { appends }] of step.commits.entries())
              if (Array.isArray(oracle![i])) for (const append of appends) if (append.sequence === 0) next[append.partition]! += sizeOf(append);
          } else if (step.type === 'take over') {
            await leave();
            members = logs.map((log) => log.join('g', { units: [places] }, never)[Symbol.asyncIterator]());
            const [ours, oracle] = await Promise.all(members.map(async (member) => ((await member.next()).value as Assignment).partitions));
            expect(ours).toEqual(oracle);
            epoch = ours![0]!.epoch;
          } else if (step.type === 'producer') {
            producers = await Promise.all(logs.map((log) => log.producer('p')));
            next.fill(0);
          } else if (step.type === 'clean') {
            const options = { roll: step.roll, now: step.now };
            expect(await clean(logs[0]!, options)).toEqual(disk.clean(options));
          } else if (step.type === 'delete records') {
            const [end] = await logs[1]!.offsets([places[step.partition]!], 'latest');
            const before = [{ ...end!, offset: BigInt(Math.floor(step.share * Number(end!.offset))) }];
            const [ours, oracle] = await Promise.all(logs.map((log) => log.deleteRecords(before).catch((error: { code?: string }) => error.code)));
            expect(ours).toEqual(oracle);
          } else {
            await leave();
            members = [];
            for (const log of logs) await log[Symbol.asyncDispose]();
            logs = await Promise.all(open());
          }
        }
        const [ours, oracle] = await Promise.all(logs.map(seen));
        expect(ours).toEqual(oracle);
      } finally {
        for (const log of logs) await log[Symbol.asyncDispose]();
        rmSync(path, { recursive: true });
      }
    }),
    { numRuns: 20 },
  );
}, 30_000);
