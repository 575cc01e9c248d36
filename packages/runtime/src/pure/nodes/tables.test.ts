import { compactedTopic, store, topic } from '@stoplog/core';
import { LazyRecord, openBatch, RecordPacker, topicOf } from '@stoplog/core/kit';
import { MemoryPart } from '@stoplog/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { drive } from '../../testing/drive.ts';
import { pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { table } from '../pipeline/table.ts';
import { StoreOverlay } from '../actor/overlay.ts';
import { materialize } from './table.ts';

const Customer = z.object({ name: z.string(), country: z.string().optional() });
const customers = compactedTopic('customers', { key: z.string(), value: Customer });
const copies = compactedTopic('copies', { key: z.string(), value: Customer });
const countries = compactedTopic('countries', { key: z.string(), value: z.string() });
const orders = topic('orders', { key: z.string(), value: z.int() });
const joined = topic('joined', { key: z.string(), value: z.string() });
const Change = z.object({ before: z.unknown().optional(), after: z.unknown().optional() });
const changed = topic('changed', { key: z.string(), value: Change });
const [ada, bob] = [
  { name: 'Ada', country: 'GB' },
  { name: 'Bob', country: 'FR' },
];

describe('a table is the latest value of each key', () => {
  test('every change is emitted, a deletion as a tombstone', () => {
    const d = drive(pipeline('p', table(customers).to(copies)));
    d.send(customers, 'c', ada);
    d.send(customers, 'c', null);
    expect(d.read(copies)).toEqual([
      { key: 'c', value: ada },
      { key: 'c', value: null },
    ]);
  });

  test('an unchanged value is emitted too, and the deletion of an absent key is not', () => {
    const d = drive(pipeline('p', table(customers).to(copies)));
    d.send(customers, 'c', null);
    d.send(customers, 'c', ada);
    d.send(customers, 'c', ada);
    expect(d.read(copies).map(({ value }) => value)).toEqual([ada, ada]);
  });

  test('a change has the values before and after', () => {
    const d = drive(pipeline('p', table(customers).changes().to(changed)));
    for (const value of [ada, bob, null]) d.send(customers, 'c', value);
    expect(d.read(changed).map(({ value }) => value)).toEqual([{ after: ada }, { before: ada, after: bob }, { before: bob }]);
  });

  test('map replaces both sides of a change; a value that becomes undefined is absent', () => {
    const mapped = table(customers).map((customer, key) => customer.country && `${key} ${customer.country}`);
    const d = drive(pipeline('p', mapped.changes().to(changed)));
    for (const value of [{ name: 'Eve' }, ada, bob, { name: 'Eve' }, null]) d.send(customers, 'c', value);
    expect(d.read(changed).map(({ value }) => value)).toEqual([{ after: 'c GB' }, { before: 'c GB', after: 'c FR' }, { before: 'c FR' }]);
  });

  test('a value that enters a filter is an insertion, one that leaves a deletion, one that stays out nothing', () => {
    const british = table(customers).filter(({ country }, key) => country === 'GB' && key !== 'x');
    const d = drive(pipeline('p', british.to(copies), british.changes().to(changed)));
    const steps: readonly (typeof ada | null)[] = [bob, ada, { ...ada, name: 'Ada L.' }, bob, bob, ada, null, null];
    for (const value of steps) d.send(customers, 'c', value);
    d.send(customers, 'x', ada);
    const inside = { ...ada, name: 'Ada L.' };
    expect(d.read(changed).map(({ value }) => value)).toEqual([
      { after: ada },
      { before: ada, after: inside },
      { before: inside },
      { after: ada },
      { before: ada },
    ]);
    expect(d.read(copies).map(({ value }) => value)).toEqual([ada, inside, null, ada, null]);
  });

  test('a topic that is named as a table twice is kept once, and both readers see the value before', () => {
    const d = drive(
      pipeline(
        'p',
        table(customers).changes().to(changed),
        table(customers)
          .filter(({ country }) => country === 'GB')
          .map(({ country }) => country ?? 'none')
          .to(countries),
      ),
    );
    for (const value of [ada, bob]) d.send(customers, 'c', value);
    expect(d.read(changed).map(({ value }) => value)).toEqual([{ after: ada }, { before: ada, after: bob }]);
    expect(d.read(countries).map(({ value }) => value)).toEqual(['GB', null]);
  });

  test('a table keeps nothing of the batch its records came in', () => {
    const packer = new RecordPacker('customers', 1);
    packer.add('"c"', JSON.stringify(ada), 0);
    const view = openBatch(packer.take()[0]!.batch);
    const { keySerde, valueSerde } = topicOf(customers);
    const overlay = new StoreOverlay(new MemoryPart(), valueSerde);
    view.next();
    materialize(overlay, undefined)(new LazyRecord(view, keySerde, valueSerde, 'customers'));
    view.bytes.fill(0);
    expect(overlay.get('c')).toEqual(ada);
  });

  test('the value before outlives a restart', () => {
    const d = drive(pipeline('p', table(customers).changes().to(changed)));
    d.send(customers, 'c', ada);
    d.restart();
    d.send(customers, 'c', bob);
    expect(d.read(changed).at(-1)!.value).toEqual({ before: ada, after: bob });
  });
});

describe('a stream that meets a table', () => {
  const combine = (n: number, customer: { readonly name: string } | undefined): string => `${n} ${customer?.name ?? 'unknown'}`;

  test('join finds the present value of the table; without a match a record is dropped (2.27)', () => {
    const d = drive(pipeline('p', stream(orders).join(table(customers), combine).to(joined)));
    d.send(orders, 'c', 1);
    d.send(customers, 'c', ada, 50);
    d.send(orders, 'c', 2, 7);
    d.send(customers, 'c', bob);
    d.send(orders, 'c', 3);
    d.send(customers, 'c', null);
    d.send(orders, 'c', 4);
    expect(d.read(joined).map(({ value }) => value)).toEqual(['2 Ada', '3 Bob']);
    expect(d.records(joined)[0]!.timestamp).toBe(7);
  });

  test('leftJoin lets every record pass, with undefined for an absent value', () => {
    const d = drive(pipeline('p', stream(orders).leftJoin(table(customers), combine).to(joined)));
    d.send(orders, 'c', 1);
    d.send(customers, 'c', ada);
    d.send(orders, 'c', 2);
    d.send(customers, 'c', null);
    d.send(orders, 'c', 3);
    expect(d.read(joined).map(({ value }) => value)).toEqual(['1 unknown', '2 Ada', '3 unknown']);
  });

  test('a change of the table alone emits nothing', () => {
    const fn = vi.fn(combine);
    const d = drive(pipeline('p', stream(orders).leftJoin(table(customers), fn).to(joined)));
    d.send(customers, 'c', ada);
    expect(fn).not.toHaveBeenCalled();
    expect(d.read(joined)).toEqual([]);
  });

  test('a lookup in a mapped and filtered table sees the mapped values', () => {
    const names = table(customers)
      .filter(({ country }) => country === 'GB')
      .map(({ name }, key) => `${name} of ${key}`);
    const d = drive(
      pipeline(
        'p',
        stream(orders)
          .leftJoin(names, (n, name) => `${n} ${name ?? 'nobody'}`)
          .to(joined),
      ),
    );
    d.send(customers, 'a', ada);
    d.send(customers, 'b', bob);
    for (const key of ['a', 'b', 'c']) d.send(orders, key, 1);
    expect(d.read(joined).map(({ value }) => value)).toEqual(['1 Ada of a', '1 nobody', '1 nobody']);
  });

  test('a fold can be joined like any table, by the stream that feeds it too: its own record is counted', () => {
    const perCustomer = store('per-customer', { key: z.string(), value: z.int() });
    const input = stream(orders);
    const d = drive(pipeline('p', input.join(input.count(perCustomer), (n, count) => `${n} is number ${count}`).to(joined)));
    for (const n of [10, 20]) d.send(orders, 'c', n);
    expect(d.read(joined).map(({ value }) => value)).toEqual(['10 is number 1', '20 is number 2']);
  });

  test('the older of two waiting records is taken first; at the same time, the record of the table', () => {
    const d = drive(pipeline('p', stream(orders).leftJoin(table(customers), combine).to(joined)));
    d.batch(() => {
      for (const at of [10, 20, 30]) d.send(orders, 'c', at, at);
      d.send(customers, 'c', ada, 20);
      d.send(customers, 'c', bob, 25);
    });
    expect(d.read(joined).map(({ value }) => value)).toEqual(['10 unknown', '20 Ada', '30 Bob']);
  });
});
