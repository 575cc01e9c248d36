import { compactedTopic, store, topic } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pure/pipeline/pipeline.ts';
import { stream } from '../pure/pipeline/stream.ts';
import { table } from '../pure/pipeline/table.ts';
import { drive } from './drive.ts';
import type { Driver } from './driver.ts';

const OrderId = z.string().brand<'OrderId'>();
const CustomerId = z.string().brand<'CustomerId'>();
const Country = z.string().length(2).brand<'Country'>();
const Order = z.object({ id: OrderId, customerId: CustomerId, cents: z.int().positive() });
const Customer = z.object({ name: z.string(), country: Country });
const EnrichedOrder = Order.extend({ customer: Customer });

const orders = topic('orders', { key: OrderId, value: Order });
const ordersByCustomer = topic('orders-by-customer', { key: CustomerId, value: Order });
const customers = compactedTopic('customers', { key: CustomerId, value: Customer });
const enrichedOrders = topic('enriched-orders', { key: CustomerId, value: EnrichedOrder });
const ordersByCountry = topic('orders-by-country', { key: Country, value: EnrichedOrder });
const countryTotals = compactedTopic('country-totals', { key: Country, value: z.int() });
const totalByCountry = store('total-by-country', { key: Country, value: z.int() });

const enriched = stream(orders)
  .rekey((order) => order.customerId)
  .through(ordersByCustomer)
  .join(table(customers), (order, customer) => ({ ...order, customer }));
const totals = enriched
  .rekey((order) => order.customer.country)
  .through(ordersByCountry)
  .fold(totalByCountry, { init: () => 0, update: (sum, order) => sum + order.cents });
const enrichOrders = pipeline('enrich-orders', enriched.to(enrichedOrders), totals.to(countryTotals));

const order = (d: Driver, id: string, customerId: string, cents: number): void => d.send(orders, id, { id, customerId, cents });

describe('orders enriched by their customers', () => {
  test("an order is joined in the customer's partition, and summed in the country's", () => {
    const d = drive(enrichOrders);
    d.send(customers, 'c1', { name: 'Ada', country: 'GB' });
    d.send(customers, 'c2', { name: 'Bob', country: 'FR' });
    order(d, 'o1', 'c1', 4_200);
    order(d, 'o2', 'c1', 800);
    order(d, 'o3', 'c2', 7);
    expect(d.store(totalByCountry).get(Country.parse('GB'))).toBe(5_000);
    expect(d.read(countryTotals)).toEqual([
      { key: 'GB', value: 4_200 },
      { key: 'GB', value: 5_000 },
      { key: 'FR', value: 7 },
    ]);
    expect(d.read(enrichedOrders)[1]).toEqual({ key: 'c1', value: { id: 'o2', customerId: 'c1', cents: 800, customer: { name: 'Ada', country: 'GB' } } });
  });

  test('an order of an unknown customer is dropped, and not added later', () => {
    const d = drive(enrichOrders);
    order(d, 'o1', 'c1', 4_200);
    d.send(customers, 'c1', { name: 'Ada', country: 'GB' });
    expect(d.read(ordersByCustomer)).toHaveLength(1);
    expect(d.read(enrichedOrders)).toEqual([]);
  });

  test('an order is joined with the present customer: a move counts from then on, and a deletion ends it', () => {
    const d = drive(enrichOrders);
    d.send(customers, 'c1', { name: 'Ada', country: 'GB' });
    order(d, 'o1', 'c1', 1);
    d.send(customers, 'c1', { name: 'Ada', country: 'FR' });
    order(d, 'o2', 'c1', 2);
    d.send(customers, 'c1', null);
    order(d, 'o3', 'c1', 4);
    expect(d.store(totalByCountry).range()).toEqual([
      ['FR', 2],
      ['GB', 1],
    ]);
  });

  test('an order is parsed when it is sent: an order of zero cents is refused', () => {
    const d = drive(enrichOrders);
    expect(() => order(d, 'o1', 'c1', 0)).toThrow(expect.objectContaining({ code: 'STOPLOG_SCHEMA' }));
    expect(d.read(orders)).toEqual([]);
  });
});
