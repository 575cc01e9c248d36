import { describe, expect, test } from 'vitest';
import { META_BYTES, META_MAGIC, metasOf } from './meta-page.ts';
import { META } from './page.ts';

const meta = (index: number, txn: number, root = 5, lastPage = 100): Buffer => {
  const bytes = Buffer.alloc(META_BYTES);
  bytes.writeBigUInt64LE(BigInt(index));
  bytes.writeUInt16LE(META, 18);
  bytes.writeUInt32LE(META_MAGIC, 24);
  bytes.writeUInt32LE(8192, 48);
  bytes.writeBigUInt64LE(2n ** 64n - 1n, 48 + 40);
  bytes.writeUInt16LE(1, 96 + 6);
  bytes.writeBigUInt64LE(BigInt(root), 96 + 40);
  bytes.writeBigUInt64LE(BigInt(lastPage), 144);
  bytes.writeBigUInt64LE(BigInt(txn), 152);
  return bytes;
};
/** The flushed copy has no head. */
const flushed = (txn: number, root = 5): Buffer => Buffer.concat([Buffer.alloc(40), meta(0, txn, root).subarray(40)]);

describe('the meta pages', () => {
  test('of a sound file lie one commit apart, and the later one counts', () => {
    const { newest, others, problems } = metasOf(meta(0, 12, 7), meta(1, 11), flushed(12, 7));
    expect([newest?.txn, newest?.main.root, newest?.free.root, problems]).toEqual([12, 7, undefined, []]);
    expect(others.map(({ txn }) => txn)).toEqual([12, 11]);
  });
  test('of which one is unreadable leave the other, and the flushed copy, which may be later', () => {
    const { newest, others, problems } = metasOf(Buffer.alloc(META_BYTES), meta(1, 11), flushed(12));
    expect([newest?.txn, others.map(({ txn }) => txn), problems.map(({ page }) => page)]).toEqual([11, [12], [0]]);
  });
  test.each([
    ['a commit far from the other', meta(0, 2 ** 40), meta(1, 11), flushed(12), /says commit 1099511627776/],
    ['a root behind the last page', meta(0, 12, 500), meta(1, 11), flushed(12), /leads behind its own last page/],
    ['the number of another page', meta(3, 12), meta(1, 11), flushed(12), /says it is page 3/],
    ['another root than its flushed copy', meta(0, 12, 9), meta(1, 11), flushed(12, 8), /is another one/],
  ])('with %s are told', (_, first, second, copy, sentence) => {
    expect(
      metasOf(first, second, copy)
        .problems.map(({ what }) => what)
        .join(),
    ).toMatch(sentence);
  });
});
