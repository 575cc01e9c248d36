import { describe, expect, test, vi } from 'vitest';
import { Arrived } from './arrived.ts';

describe('promises in the order in which they settle', () => {
  test('the promise that settled first is returned first, whichever was added first', async () => {
    const arrived = new Arrived<string>();
    let late = (_: string): void => {};
    arrived.add(
      new Promise((resolve) => {
        late = resolve;
      }),
    );
    arrived.add(Promise.resolve('early'));
    expect(await arrived.next()).toBe('early');
    const next = arrived.next();
    late('late');
    expect(await next).toBe('late');
  });
  test('a rejection is thrown where it is awaited, and nowhere else', async () => {
    const arrived = new Arrived<string>();
    arrived.add(Promise.reject(new Error('gone')));
    arrived.add(Promise.reject(new Error('never looked at')));
    await expect(arrived.next()).rejects.toThrow('gone');
  });
  test('a promise that never settles is listened to once, however many others settle', async () => {
    const arrived = new Arrived<number>();
    const never = new Promise<number>(() => {});
    const listened = vi.spyOn(never, 'then');
    arrived.add(never);
    for (let n = 0; n < 100; n++) {
      arrived.add(Promise.resolve(n));
      expect(await arrived.next()).toBe(n);
    }
    expect(listened).toHaveBeenCalledOnce();
  });
});
