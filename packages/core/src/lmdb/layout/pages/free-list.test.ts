import { describe, expect, test } from 'vitest';
import { runsIn } from './free-list.ts';
import { PageAccount } from './page-account.ts';

const record = (...words: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(8 * words.length);
  words.forEach((word, i) => bytes.writeBigInt64LE(BigInt(word), 8 * i));
  return bytes;
};

describe('a record of the free list', () => {
  test('a record is a count, then pages, and runs of pages preceded by their length', () => {
    expect(runsIn(record(6, 30, 0, -4, 20, 12, 11), 40)).toEqual([
      { page: 30, pages: 1 },
      { page: 20, pages: 4 },
      { page: 12, pages: 1 },
      { page: 11, pages: 1 },
    ]);
  });
  test('a record may have spare room after its count', () => expect(runsIn(record(1, 9, 123_456), 40)).toEqual([{ page: 9, pages: 1 }]));
  test.each([
    ['a count it has no room for', record(3, 9), /counts 3 words/],
    ['a page after the last one', record(1, 41), /there is no such page/],
    ['a run that reaches past the last page', record(2, -4, 39), /there is no such page/],
    ['a meta page', record(1, 1), /there is no such page/],
    ['no whole words', Buffer.alloc(12), /is no list/],
  ])('a record that has %s is reported', (_, bytes, sentence) => expect(runsIn(bytes, 40)).toMatch(sentence));
});

test('a page is used once or free, and a leaked page is found', () => {
  const account = new PageAccount(9, 10);
  expect([account.use(2, 3), account.use(4, 2)]).toEqual([true, false]);
  expect([account.free(6, 2), account.free(5, 1), account.free(7, 1)]).toEqual([undefined, 5, 7]);
  expect([account.isUsed(5), account.isFree(6), [...account.lost()]]).toEqual([true, true, [8, 9]]);
});
test('pages after the end of the file are not counted, however many there are', () => {
  const account = new PageAccount(2 ** 52, 10);
  expect([account.use(8, 2 ** 40), account.free(9, 1), [...account.lost()]]).toEqual([true, 9, [2, 3, 4, 5, 6, 7]]);
});
