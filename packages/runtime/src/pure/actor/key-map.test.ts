import { describe, expect, test } from 'vitest';
import { KeyMap } from './key-map.ts';

describe('a map by the data of its keys', () => {
  test('objects with equal data are one key, whatever the order of their properties', () => {
    const map = new KeyMap<number>();
    map.set({ a: 1, b: [2, null] }, 1);
    map.set({ b: [2, null], a: 1 }, 2);
    expect(map.size).toBe(1);
    expect(map.get({ a: 1, b: [2, null] })).toBe(2);
    expect(map.get({ a: 1, b: [2] })).toBeUndefined();
  });
  test('bytes are compared byte for byte', () => {
    const map = new KeyMap<string>();
    map.set(Uint8Array.of(1, 255), 'x');
    expect(map.get(Uint8Array.of(1, 255))).toBe('x');
    expect(map.get(Buffer.from([1, 255]))).toBe('x');
    expect(map.get(Uint8Array.of(1))).toBeUndefined();
  });
  test('keys of different types are different keys', () => {
    const map = new KeyMap<string>();
    const keys = [1, 1n, '1', true, null, [1], { 1: 1 }, Uint8Array.of(1), '[1]', '{"1":1}'];
    keys.forEach((key, i) => map.set(key, `v${i}`));
    expect(map.size).toBe(keys.length);
    expect(keys.map((key) => map.get(key))).toEqual(keys.map((_, i) => `v${i}`));
  });
  test('names that have a meaning in JavaScript are keys like any other', () => {
    const map = new KeyMap<number>();
    for (const key of ['__proto__', 'constructor', 'toString', JSON.parse('{"__proto__":1}')]) map.set(key, (map.get(key) ?? 0) + 1);
    expect([...map.values()]).toEqual([1, 1, 1, 1]);
    expect(map.get({})).toBeUndefined();
  });
  test('a deleted key is gone, and clear removes all', () => {
    const map = new KeyMap<number>();
    map.set('a', 1);
    map.set({ a: 1 }, 2);
    map.set('b', 3);
    map.delete('a');
    map.delete({ a: 1 });
    expect([...map.values()]).toEqual([3]);
    map.set([1], 4);
    map.clear();
    expect(map.size).toBe(0);
  });
  test('the remembered key is not taken for the present key', () => {
    const map = new KeyMap<number>();
    expect(map.get('a')).toBeUndefined();
    map.set('a', 1);
    expect(map.get('a')).toBe(1);
    map.set('a', 2);
    expect(map.get('a')).toBe(2);
    map.delete('a');
    expect(map.get('a')).toBeUndefined();
    map.set('a', 3);
    map.clear();
    expect(map.get('a')).toBeUndefined();
  });
  test('an object that its owner changes between two calls is another key', () => {
    const map = new KeyMap<number>();
    const key = { id: 1 };
    map.set(key, 1);
    key.id = 2;
    expect(map.get(key)).toBeUndefined();
    map.set(key, 2);
    key.id = 1;
    expect(map.get(key)).toBe(1);
  });
});
