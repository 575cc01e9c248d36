import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KafkaBatch } from '../../client.ts';
import { endOf, visibleOf } from './visible.ts';

const seed = Date.now() % 2 ** 31;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;
const record = { length: 0, attributes: 0, timestampDelta: 0n, offsetDelta: 0, key: null, value: null, headers: [] };
const batchOf = (firstOffset: bigint, producerId: bigint, attributes: number, records: number): KafkaBatch => ({
  firstOffset,
  length: 0,
  partitionLeaderEpoch: 0,
  magic: 2,
  crc: 0,
  attributes,
  lastOffsetDelta: records - 1,
  firstTimestamp: 0n,
  maxTimestamp: 0n,
  producerId,
  producerEpoch: 0,
  firstSequence: 0,
  records: Array.from({ length: records }, (_, offsetDelta) => ({ ...record, offsetDelta })),
});

interface Partition {
  readonly batches: readonly KafkaBatch[];
  readonly aborted: readonly { readonly producerId: bigint; readonly firstOffset: bigint; readonly end: bigint }[];
  readonly kept: ReadonlySet<bigint>;
}
type Step = readonly [producer: number, what: 'append' | 'commit' | 'abort' | 'plain', records: number];

/** A partition as a broker writes it: transactions of three producers beside plain batches; transactions that are open at the end are committed. */
const written = (steps: readonly Step[]): Partition => {
  const batches: KafkaBatch[] = [];
  const aborted: { producerId: bigint; firstOffset: bigint; end: bigint }[] = [];
  const kept = new Set<bigint>();
  const open = new Map<bigint, KafkaBatch[]>();
  let end = 0n;
  const put = (producerId: bigint, attributes: number, records: number): KafkaBatch => {
    const batch = batchOf(end, producerId, attributes, records);
    batches.push(batch);
    end = endOf(batch);
    return batch;
  };
  const finish = (id: bigint, isKept: boolean): void => {
    const own = open.get(id);
    if (own === undefined) return;
    open.delete(id);
    put(id, TRANSACTIONAL | CONTROL, 1);
    if (isKept) for (const { firstOffset } of own) kept.add(firstOffset);
    else aborted.push({ producerId: id, firstOffset: own[0]!.firstOffset, end });
  };
  for (const [producer, what, records] of steps) {
    const id = BigInt(producer);
    if (what === 'plain') kept.add(put(9n, 0, records).firstOffset);
    else if (what === 'append') open.set(id, [...(open.get(id) ?? []), put(id, TRANSACTIONAL, records)]);
    else finish(id, what === 'commit');
  }
  for (const id of [...open.keys()]) finish(id, true);
  return { batches, aborted, kept };
};

describe('a reader of committed records', () => {
  test(`a reader sees the batches of committed transactions and no others, from anywhere and by pieces (seed ${seed})`, () => {
    const step = fc.tuple(
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom('append' as const, 'append' as const, 'commit' as const, 'abort' as const, 'plain' as const),
      fc.integer({ min: 1, max: 3 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(), fc.integer({ min: 1, max: 5 }), (steps, somewhere, atOnce) => {
        const { batches, aborted, kept } = written(steps);
        const end = batches.length === 0 ? 0n : endOf(batches.at(-1)!);
        const from = end === 0n ? 0n : BigInt(somewhere) % end;
        const seen: bigint[] = [];
        let next = from;
        while (next < end) {
          // A broker sends whole batches from the one that holds the offset on, and the transactions that were aborted among them.
          const records = batches.filter((batch) => endOf(batch) > next).slice(0, atOnce);
          const [first, last] = [records[0]!.firstOffset, endOf(records.at(-1)!)];
          const abortedTransactions = aborted.filter((one) => one.firstOffset < last && one.end > first);
          const visible = visibleOf({ records, abortedTransactions }, next);
          expect(visible.next).toBe(last);
          seen.push(...visible.batches.map(({ firstOffset }) => firstOffset));
          next = visible.next;
        }
        expect(seen).toEqual(batches.filter((batch) => kept.has(batch.firstOffset) && endOf(batch) > from).map(({ firstOffset }) => firstOffset));
      }),
      { seed },
    );
  });
  test('a partition that answers nothing leaves the reader where it is', () => {
    expect(visibleOf({ records: null, abortedTransactions: null }, 4n)).toEqual({ batches: [], next: 4n });
  });
});
