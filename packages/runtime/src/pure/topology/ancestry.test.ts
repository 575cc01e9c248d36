import { compactedTopic, store, topic } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { table } from '../pipeline/table.ts';
import { ancestryOf } from './ancestry.ts';
import { planOf } from './plan.ts';

const text = { key: z.string(), value: z.string() };
const number = { key: z.string(), value: z.int() };
const orders = topic('orders', text);
const byCustomer = topic('orders-by-customer', text);
const returns = topic('returns', text);
const customers = compactedTopic('customers', text);

const plan = planOf(
  pipeline(
    'shop',
    stream(orders)
      .filter((order) => order !== '')
      .count(store('per-order', number)),
    stream(orders)
      .rekey((order) => order)
      .through(byCustomer)
      .join(table(customers), (order, name) => `${order} ${name}`)
      .count(store('per-customer', number)),
    stream(byCustomer).merge(stream(returns)).count(store('per-movement', number)),
  ),
);
const behind = (name: string): readonly string[] => ancestryOf(plan, name).inputs.map(({ topic: { name: input }, role }) => `${role} ${input}`);

describe('the ancestry of a store', () => {
  test('an ancestry ends at the topic that its task reads', () => {
    expect(behind('per-order')).toEqual(['stream orders']);
  });
  test('an ancestry ends at the topic of a through, and has the tables that are joined on the way', () => {
    expect(behind('per-customer')).toEqual(['table customers', 'through orders-by-customer']);
  });
  test('an ancestry leaves out the topics that the same task reads for other stores', () => {
    expect(behind('per-movement')).toEqual(['through orders-by-customer', 'stream returns']);
    expect(behind('table:customers')).toEqual(['table customers']);
  });
  test('an unknown store is refused with the stores that are there', () => {
    expect(() => ancestryOf(plan, 'per-country')).toThrow(/pipeline 'shop' has no store 'per-country': it has 'per-order', .*'table:customers'/);
  });
});
