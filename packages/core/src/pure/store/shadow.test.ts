import { expect, test } from 'vitest';
import { partsOfShadow, rebuildTag, shadowName, storesOfTag } from './shadow.ts';

test('a tag names its stores with their versions, in one order however they are listed', () => {
  const stores = [
    { store: 'b', version: 1 },
    { store: 'a', version: 12 },
  ];
  expect(rebuildTag(stores)).toBe('a@12+b@1');
  expect(rebuildTag(stores.toReversed())).toBe('a@12+b@1');
  expect(storesOfTag('a@12+b@1')).toEqual(stores.toReversed());
});
test('a shadow name is taken apart at its first mark, and a table store keeps the mark of its pipeline', () => {
  expect(partsOfShadow(shadowName('customers@orders', 'a@2'))).toEqual({ name: 'customers@orders', tag: 'a@2' });
  expect(partsOfShadow('customers@orders')).toBeUndefined();
});
