import { describe, expect, test } from 'vitest';
import { filterIn } from './record-filter.ts';

const record = {
  partition: 2,
  offset: 7,
  key: { id: 'k' },
  value: { state: 'open', minutes: 5, text: '5', items: [{ sku: 'x' }], key: 'inner', gone: null, flags: { b: 1, a: [true] } },
  headers: [
    { name: 'trace', value: 'old' },
    { name: 'trace', value: 'new' },
  ],
};

describe('a filter finds', () => {
  test.each([
    'state=open',
    'value.state=open',
    'minutes=5',
    'text=5',
    'items.0.sku=x',
    'key.id=k',
    'value.key=inner',
    'partition=2',
    'gone=null',
    'state="open"',
    'headers.trace=new',
    'flags={"a":[true],"b":1}',
    'state!=closed',
    'nothing.there!=1',
  ])('%s', (text) => expect(filterIn(text)(record)).toBe(true));
});
describe('a filter does not find', () => {
  test.each([
    'state=closed',
    'minutes=6',
    'minutes="5"',
    'items.1.sku=x',
    'nothing=null',
    'state!=open',
    'headers.trace=old',
    'headers.none=x',
    'state.length=4',
    'constructor.name=Object',
    '__proto__=null',
    'text=5.0',
  ])('%s', (text) => expect(filterIn(text)(record)).toBe(false));
});
test.each(['value.hex=00ff', 'value={"hex":"00ff"}'])('bytes are found by %s, as --json prints them', (text) => {
  expect(filterIn(text)({ value: Uint8Array.of(0, 255) })).toBe(true);
  expect(filterIn(text)({ value: Uint8Array.of(0, 254) })).toBe(false);
});
test('dates and bigints are found as --json prints them', () => {
  const value = { at: new Date(0), n: 2n ** 60n, few: new Set([1]) };
  for (const text of ['at.date=1970-01-01T00:00:00.000Z', 'n.bigint=1152921504606846976', 'few.set.0=1', 'few={"set":[1]}'])
    expect(filterIn(text)({ value })).toBe(true);
  for (const text of ['at.date=1970', 'n.bigint=1', 'few.size=1']) expect(filterIn(text)({ value })).toBe(false);
});
test('a record without a value has no paths in its value', () => {
  expect(filterIn('state=open')({ value: null })).toBe(false);
  expect(filterIn('value=null')({ value: null })).toBe(true);
});
test('a filter with == is refused, and the error shows how to write a text that begins with =', () => {
  expect(() => filterIn('state==open')).toThrow(/has one = too many: write state=open, or, if the text begins with it, 'state="=open"'/);
  expect(() => filterIn('state!==open')).toThrow(/write state!=open, or/);
  expect(filterIn('state="=open"')({ value: { state: '=open' } })).toBe(true);
});
test.each(['state', '=open', 'a..b=1', '.a=1', 'a.=1', 'a<1', ''])("'%s' is refused, and is not evaluated", (text) => {
  expect(() => filterIn(text)).toThrow(/is no filter: write path=value or path!=value/);
});
