import { expect, test } from 'vitest';
import { historyNotes } from './history-text.ts';

const input = { topic: 'orders', role: 'stream', partition: 2, start: 0n, position: 9n, end: 9n, isCompacted: false } as const;

test('a whole history has no notes', () => {
  expect(historyNotes('totals', 'a', 3, [input])).toEqual([]);
});
test('notes tell which records are gone, may be gone, or have not reached the store', () => {
  expect(historyNotes('totals', 'a', 0, [{ ...input, start: 4n, end: 2_009n, isCompacted: true }])).toEqual([
    "no record of 'a' in orders[2] has reached store 'totals'",
    'orders[2] begins at offset 4: earlier records are gone, and may have made the value too',
    "'orders' is compacted: earlier records of the key may be gone",
    'the pipeline is at offset 9 of orders[2]: 2 000 more records have not reached the store yet',
  ]);
});
