import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { store, storeOf, type Store } from './store.ts';

const Id = z.string().brand<'Id'>();
type Id = z.output<typeof Id>;

describe('a store as a value', () => {
  test('a store keeps the brands of its types, and is invariant', () => {
    const counts = store('counts', { key: Id, value: z.number() });
    expectTypeOf(counts).toEqualTypeOf<Store<Id, number>>();
    expectTypeOf(counts).not.toExtend<Store<string, number>>();
    expectTypeOf(counts).not.toExtend<Store<Id, number | string>>();
    expectTypeOf<Store<Id, number | string>>().not.toExtend<Store<Id, number>>();
  });

  test('a store has its version, its schemas in words, and their fingerprint', () => {
    const found = storeOf(store('counts', { key: Id, value: z.object({ n: z.int() }), version: 2 }));
    expect(found).toMatchObject({ kind: 'store', name: 'counts', version: 2, description: 'key: string, value: {n: integer}' });
    expect(found.valueSerde.codec).toBe('json');
    expect(Object.isFrozen(found)).toBe(true);
  });

  test('a store has a new fingerprint when its key, value or codec changes, and the same one under another version', () => {
    const prints = [
      store('s', { key: z.string(), value: z.number() }),
      store('s', { key: z.number(), value: z.number() }),
      store('s', { key: z.string(), value: z.string() }),
      store('s', { key: z.string(), value: z.number(), codec: 'msgpack' }),
    ].map((each) => storeOf(each).fingerprint);
    expect(new Set(prints).size).toBe(4);
    expect(storeOf(store('s', { key: z.string(), value: z.number(), version: 9 })).fingerprint).toBe(prints[0]);
  });

  test.each([0, -1, 1.5, NaN])('version %s is refused for a store', (version) => {
    expect(() => store('s', { key: Id, value: z.string(), version })).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE' }));
  });

  test('bad names, keys without an order and values without a codec are refused, and the refusal names the store', () => {
    expect(() => store('a b', { key: Id, value: Id })).toThrow(expect.objectContaining({ code: 'STOPLOG_NAME' }));
    expect(() => store('s', { key: z.date(), value: Id })).toThrow(/key of store 's': use z\.iso\.datetime\(\)$/);
    expect(() => store('s', { key: z.object({ n: z.bigint() }), value: Id })).toThrow(/at n in the key of store 's'/);
    expect(() => store('s', { key: Id, value: z.date() })).toThrow(/value of store 's'/);
    store('s', { key: z.bigint(), value: z.date(), codec: 'msgpack' });
    expect(() => storeOf(store('s', { key: Id, value: z.number() })).valueSerde.encode(NaN)).toThrow(/a value for store 's'.*NaN/);
  });

  test('a value that is not a store is refused', () => {
    expect(() => storeOf({ kind: 'store', name: 's' })).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE' }));
  });
});
