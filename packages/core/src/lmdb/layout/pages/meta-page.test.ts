import { describe, expect, test } from 'vitest';
import { META_BYTES, META_MAGIC, metasOf, openedOf } from './meta-page.ts';
import { META } from './page.ts';

const BOOT = 77;
const meta = (index: number, txn: number, root = 5, lastPage = 100, isFlushed = true): Buffer => {
  const bytes = Buffer.alloc(META_BYTES);
  bytes.writeBigUInt64LE(BigInt(index));
  bytes.writeUInt16LE(META, 18);
  bytes.writeUInt32LE(META_MAGIC, 24);
  bytes.writeUInt32LE(8192, 48);
  bytes.writeUInt16LE(isFlushed ? 8 : 0x1008, 48 + 4);
  bytes.writeBigUInt64LE(BigInt(BOOT), 160);
  bytes.writeBigUInt64LE(2n ** 64n - 1n, 48 + 40);
  bytes.writeUInt16LE(1, 96 + 6);
  bytes.writeBigUInt64LE(BigInt(root), 96 + 40);
  bytes.writeBigUInt64LE(BigInt(lastPage), 144);
  bytes.writeBigUInt64LE(BigInt(txn), 152);
  return bytes;
};
const changed = (bytes: Buffer, at: number, value: number): Buffer => {
  bytes.writeUInt16LE(value, at);
  return bytes;
};
/** The flushed copy has no page header. */
const flushed = (txn: number, root = 5): Buffer => Buffer.concat([Buffer.alloc(40), meta(0, txn, root).subarray(40)]);

describe('the meta pages', () => {
  test('the meta pages of a sound file are one commit apart, and the later one counts', () => {
    const { newest, others, problems } = metasOf(meta(0, 12, 7), meta(1, 11), flushed(12, 7));
    expect([newest?.txn, newest?.main.root, newest?.free.root, problems]).toEqual([12, 7, undefined, []]);
    expect(others.map(({ txn }) => txn)).toEqual([12, 11]);
  });
  test('an unreadable meta page leaves the other one, and the flushed copy, which may be later', () => {
    const { newest, others, problems } = metasOf(Buffer.alloc(META_BYTES), meta(1, 11), flushed(12));
    expect([newest?.txn, others.map(({ txn }) => txn), problems.map(({ page }) => page)]).toEqual([11, [12], [0]]);
  });
  test.each([
    ['a commit far from the other', meta(0, 2 ** 40), meta(1, 11), flushed(12), /says commit 1099511627776/],
    ['a root after the last page', meta(0, 12, 500), meta(1, 11), flushed(12), /points past its own last page/],
    ['the number of another page', meta(3, 12), meta(1, 11), flushed(12), /says it is page 3/],
    ['the number of the other one', meta(0, 11), meta(1, 11), flushed(11), /says commit 11/],
    ['numbers before the one that was flushed', meta(0, 10), meta(1, 11), flushed(12), /commit 12 was flushed/],
    ['keys in reverse', changed(meta(0, 12), 96 + 4, 2), meta(1, 11), flushed(12), /the flags of a tree read 2/],
    ['free pages that are no numbers', changed(meta(0, 12), 48 + 4, 0), meta(1, 11), flushed(12), /the flags of the free list read 0/],
    ['a flushed copy that cannot be read', meta(0, 12), meta(1, 11), changed(flushed(12), 48, 1), /in its second half, its page size/],
    ['another root than its flushed copy', meta(0, 12, 9), meta(1, 11), flushed(12, 8), /differs from/],
  ])('meta pages with %s are reported', (_, first, second, copy, sentence) => {
    expect(
      metasOf(first, second, copy)
        .problems.map(({ what }) => what)
        .join(),
    ).toMatch(sentence);
  });
});

describe('the commit that is opened first', () => {
  const opened = (first: Buffer, second: Buffer, copy: Buffer, boot: number): number | undefined => openedOf(metasOf(first, second, copy), boot)?.txn;
  const [later, before] = [meta(0, 12, 5, 100, false), meta(1, 11, 5, 100, false)];
  test.each([
    ['the newest, where the machine ran on', later, before, flushed(11), BOOT, 12],
    ['the last that was flushed, after a power cut: the one before', later, before, flushed(11), 78, 11],
    ['the last that was flushed, after a power cut: the newest', later, before, flushed(12), 78, 12],
    ['the newest, where its pages were flushed before it', meta(0, 12), meta(1, 11), Buffer.alloc(META_BYTES), 78, 12],
    ['the only one', meta(0, 0), meta(1, 0), Buffer.alloc(META_BYTES), 78, 0],
  ])('the opened commit is %s', (_, first, second, copy, boot, txn) => {
    expect(opened(first, second, copy, boot)).toBe(txn);
  });
});
