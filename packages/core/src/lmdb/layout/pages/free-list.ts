/**
 * The free list: the pages that may be written again. Every page of a file is in one tree, once, or here.
 *
 * A record is stored under the number of a commit: a count, then that many words. A positive word is a page, zero is nothing,
 * and a negative word is the length of the run of pages that starts at the next word.
 */
import { viewOf } from './page.ts';

export interface Run {
  readonly page: number;
  readonly pages: number;
}

/** The runs in a record, or the reason why it is malformed. */
export const runsIn = (record: Uint8Array, lastPage: number): readonly Run[] | string => {
  if (record.length < 8 || record.length % 8 !== 0) return `a record of ${record.length} bytes is no list`;
  const view = viewOf(record);
  const count = Number(view.getBigInt64(0, true));
  if (count < 0 || count > record.length / 8 - 1) return `it counts ${count} words, and has ${record.length / 8 - 1}`;
  const runs: Run[] = [];
  let length = 1;
  for (let i = 1; i <= count; i++) {
    const word = Number(view.getBigInt64(8 * i, true));
    if (word === 0) continue;
    if (word < 0) {
      length = -word;
      continue;
    }
    if (word < 2 || word + length - 1 > lastPage) return `it holds the page ${word + length - 1}, and there is no such page`;
    runs.push({ page: word, pages: length });
    length = 1;
  }
  return runs;
};
