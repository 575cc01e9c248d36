/** Empty batches against a model: adjacent spans, some of them emptied, in segments, taken in slices of any length. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inspectHeader, stampBatch } from '../record/batch.ts';
import { Merging, type Passed } from './merging.ts';

const span = fc.record({
  offsets: fc.oneof({ weight: 6, arbitrary: fc.bigInt(1n, 20n) }, { weight: 1, arbitrary: fc.constantFrom(2n ** 31n, 2n ** 32n - 1n, 2n ** 32n) }),
  emptied: fc.constantFrom('was', 'now', 'now', 'no', 'rewritten' as const),
  begins: fc.constantFrom(false, false, false, false, true),
  cut: fc.boolean(),
});
type Kind = 'empty' | 'full';
interface Lies {
  readonly next: bigint;
  readonly kind: Kind;
  readonly was: Uint8Array;
}
const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const stamp = (bytes: Uint8Array, baseOffset: bigint): void => stampBatch(bytes, { topicId: 1, partition: 0, baseOffset });

/** Merges the stored batches in slices, and applies the result of each before the next. */
const fold = (log: Map<bigint, Lies>, begins: ReadonlySet<bigint>, cuts: ReadonlySet<bigint>, kinds: ReadonlyMap<bigint, Passed>): void => {
  const merging = new Merging((base) => begins.has(base), stamp);
  const apply = (): void => {
    for (const { replaced, bytes } of merging.take()) {
      const last = log.get(replaced.at(-1)!.base)!;
      for (const { base, was } of replaced) expect(log.get(base)!.was).toBe(was);
      for (const { base } of replaced) log.delete(base);
      const isPlaceholder = bytes.length === 56 && replaced.every(({ base }) => kinds.get(base)!.kept === 0);
      if (replaced.length > 1) expect(inspectHeader(bytes)).toMatchObject({ count: 0, baseOffset: replaced[0]!.base });
      if (replaced.length > 1) expect(BigInt(inspectHeader(bytes).lastOffsetDelta) + replaced[0]!.base + 1n).toBe(last.next);
      log.set(replaced[0]!.base, { next: last.next, kind: isPlaceholder || kinds.get(replaced[0]!.base)!.kept === 0 ? 'empty' : 'full', was: bytes });
    }
  };
  for (const [base, passed] of kinds) {
    if (cuts.has(base)) apply();
    merging.add(passed);
  }
  apply();
};

describe('merging empty batches', () => {
  test('the batches that are left are adjacent, no two empty ones of a segment are neighbours unless they are too long for one, and the others are unchanged', () => {
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 20 }), (plan) => {
        const kinds = new Map<bigint, Passed>();
        const log = new Map<bigint, Lies>();
        const [begins, cuts] = [new Set<bigint>(), new Set<bigint>()];
        let base = 7n;
        for (const { offsets, emptied, begins: first, cut } of plan) {
          const next = base + offsets;
          const kept = emptied === 'was' || emptied === 'now' ? 0 : 1;
          const was = bytesOf(`was ${base}`);
          const bytes = emptied === 'was' || emptied === 'no' ? undefined : new Uint8Array(56);
          if (bytes !== undefined) bytes.set([0]);
          kinds.set(base, { base, next, was, bytes, kept });
          log.set(base, { next, kind: emptied === 'was' ? 'empty' : 'full', was });
          if (first) begins.add(base);
          if (cut) cuts.add(base);
          base = next;
        }
        const full = [...kinds.values()].filter(({ kept }) => kept > 0);
        fold(log, begins, cuts, kinds);
        const left = [...log].sort(([a], [b]) => (a < b ? -1 : 1));
        let at = 7n;
        for (const [i, [place, { next, kind }]] of left.entries()) {
          expect(place).toBe(at);
          at = next;
          const before = left[i - 1];
          if (before?.[1].kind === 'empty' && kind === 'empty' && !begins.has(place)) expect(next - before[0]).toBeGreaterThan(2n ** 32n);
          if (begins.has(place)) expect(log.has(place)).toBe(true);
        }
        expect(at).toBe(base);
        for (const begin of begins) expect(log.has(begin)).toBe(true);
        for (const one of full) expect(log.get(one.base)).toMatchObject({ next: one.next, was: one.bytes ?? one.was });
      }),
      { numRuns: 500 },
    );
  });
  test('the next slice continues an empty batch, and the next step compares with the bytes that were written of it', () => {
    const merging = new Merging(() => false, stamp);
    const emptied = (base: bigint): Passed => ({ base, next: base + 5n, was: bytesOf(String(base)), bytes: undefined, kept: 0 });
    merging.add(emptied(0n));
    merging.add(emptied(5n));
    const [first] = merging.take();
    expect([first!.replaced.map(({ base }) => base), inspectHeader(first!.bytes).lastOffsetDelta]).toEqual([[0n, 5n], 9]);
    merging.add(emptied(10n));
    const [second] = merging.take();
    expect([second!.replaced.map(({ base }) => base), inspectHeader(second!.bytes).lastOffsetDelta]).toEqual([[0n, 10n], 14]);
    expect(second!.replaced[0]!.was).toBe(first!.bytes);
    expect(merging.take()).toEqual([]);
    expect(merging.held).toBe(0n);
    merging.forget();
    expect(merging.held).toBeUndefined();
    merging.add(emptied(15n));
    expect(merging.take()).toEqual([]);
  });
});
