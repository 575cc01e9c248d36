import { expect, test } from 'vitest';
import { Turnstile } from './turnstile.ts';

const step = { records: 1, first: { topic: 'from', partition: 0, offset: 0n } };
/** A turnstile whose notes are written when the test says so. */
const make = (): { readonly turnstile: Turnstile; readonly seen: string[]; enter(unit: string): void; written(): Promise<void> } => {
  const seen: string[] = [];
  let write: () => void = () => {};
  const turnstile = new Turnstile((unit) => {
    seen.push(`note ${unit}`);
    return new Promise((resolve) => (write = resolve));
  });
  return {
    turnstile,
    seen,
    enter: (unit) => turnstile.enter(unit, step, () => seen.push(`go ${unit}`)),
    written: async () => {
      write();
      await Promise.resolve();
    },
  };
};

test('suspects take their steps one at a time, each when its note is written', async () => {
  const { turnstile, seen, enter, written } = make();
  enter('a');
  enter('b');
  expect(seen).toEqual(['note a']);
  await written();
  expect(seen).toEqual(['note a', 'go a']);
  turnstile.leave('a');
  expect(seen.slice(2)).toEqual(['note b']);
  await written();
  expect(seen.slice(3)).toEqual(['go b']);
});
test('a unit that ends while it waits, or while its step is noted, lets the others pass and does not go', async () => {
  const { turnstile, seen, enter, written } = make();
  enter('a');
  enter('b');
  enter('c');
  turnstile.leave('b');
  turnstile.leave('a');
  expect(seen).toEqual(['note a', 'note c']);
  await written();
  expect(seen.slice(2)).toEqual(['go c']);
});
