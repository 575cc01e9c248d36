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
test('a record without a value has no paths in it', () => {
  expect(filterIn('state=open')({ value: null })).toBe(false);
  expect(filterIn('value=null')({ value: null })).toBe(true);
});
test('== is taken for a slip, and what text was meant is said as JSON', () => {
  expect(() => filterIn('state==open')).toThrow(/has one = too many: write state=open, or, if the text begins with it, 'state="=open"'/);
  expect(() => filterIn('state!==open')).toThrow(/write state!=open, or/);
  expect(filterIn('state="=open"')({ value: { state: '=open' } })).toBe(true);
});
test.each(['state', '=open', 'a..b=1', '.a=1', 'a.=1', 'a<1', ''])("'%s' is refused, and is not evaluated", (text) => {
  expect(() => filterIn(text)).toThrow(/is no filter: write path=value or path!=value/);
});
