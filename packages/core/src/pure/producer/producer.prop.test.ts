/** Compares the rules of idempotent producers with the plainest model: every accepted batch, in one list. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeProducer, encodeProducer, REMEMBERED_BATCHES, step, type ProducerState } from './producer.ts';

/** A batch near the next one, or a repetition of an earlier one. */
const arriving = fc.record({
  later: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1),
  again: fc.constantFrom(-1, -1, -1, 0, 1, 4, 5, 9),
  skip: fc.constantFrom(0, 0, 0, 0, 1, -1),
  count: fc.constantFrom(1, 1, 2, 100, 2 ** 32),
});

describe('a producer', () => {
  test('each batch is accepted once, in order and without a gap; the last five are answered with their offsets, all others are refused with the next number', () => {
    fc.assert(
      fc.property(fc.array(arriving, { maxLength: 40 }), (batches) => {
        let state: ProducerState | undefined;
        let epoch = 0;
        let base = 0n;
        const taken: { readonly epoch: number; readonly sequence: number; readonly count: number; readonly base: bigint }[] = [];
        for (const { later, again, skip, count } of batches) {
          epoch += later;
          const mine = taken.filter((one) => one.epoch === epoch);
          const next = mine.reduce((sum, one) => sum + one.count, 0);
          const repeated = again < 0 ? undefined : mine.at(-1 - again);
          const batch = repeated ?? { epoch, sequence: next + skip, count, base };
          const [after, effect] = step(state, batch);
          const known = mine.slice(-REMEMBERED_BATCHES).find((one) => one.sequence === batch.sequence && one.count === batch.count);
          if (known !== undefined) expect(effect).toEqual({ type: 'repeated', base: known.base });
          else if (batch.sequence === next) {
            expect(effect).toEqual({ type: 'append' });
            taken.push({ ...batch, base });
            base += BigInt(batch.count);
          } else expect(effect).toEqual({ type: 'refused', expected: next });
          if (effect.type === 'append') state = decodeProducer(encodeProducer(after!));
          else expect(after).toBe(state);
        }
      }),
    );
  });
  test('the state of a producer takes 116 bytes per partition, however much it has appended', () => {
    let state: ProducerState | undefined;
    for (let sequence = 0; sequence < 1_000; sequence++) [state] = step(state, { epoch: 1, sequence, count: 1, base: BigInt(sequence) });
    expect(encodeProducer(state!).length).toBe(116);
  });
});
