import { expect, test } from 'vitest';
import { hasVersion, versionOf } from './version.ts';

test('a version names the topic partition, the offset and the index', () => {
  expect(versionOf({ group: 'g', topic: 'orders', partition: 3, epoch: 1 }, { offset: 2n ** 60n, index: 2 })).toBe('orders[3]@1152921504606846976.2');
});
test.each([
  ['orders[3]@17.0', true],
  ['"orders[3]@17.1"', true],
  ['W/"orders[3]@18.0"', true],
  ['orders[3]@16.9', false],
  ['orders[3]@9.0', false],
  ['orders[4]@99.0', false],
  ['orders-16[3]@99.0', false],
  ['"5d8c72a5"', false],
  ['', false],
  [null, false],
] as const)('whether a target with the tag %s has version orders[3]@17.0: %s', (there, has) => {
  expect(hasVersion(there, 'orders[3]@17.0')).toBe(has);
});
