/**
 * F4: one record in a hundred misbehaves, the first time that a handler sees it, in each way in turn. With MISBEHAVED=folder
 * each leaves a note there first, so that it misbehaves once, even if its thread is replaced.
 */
import { closeSync, openSync } from 'node:fs';
import type { Value } from '../checkers/model-checker.ts';

const notes = process.env['MISBEHAVED'];
const KEYS = Number(process.env['KEYS'] ?? 500);
/** One in 101, to meet every key in turn: one in 100 would meet the same keys again and again. */
const ONE_IN = 101;
export const misbehavesAt = (i: number): boolean => i % ONE_IN === ONE_IN >> 1;

const deeper = (n: number): number => deeper(n + 1) + 1;
const WAYS: Readonly<Record<string, () => unknown>> = {
  throw: () => {
    throw new Error('boom');
  },
  reject: () => void Promise.reject(new Error('boom')),
  exit: () => process.exit(7),
  recurse: () => deeper(0),
  loop: () => {
    for (;;);
  },
  wait: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  eat: () => {
    const eaten: number[][] = [];
    for (;;) eaten.push(Array.from({ length: 1_000 }, Math.random));
  },
};
export const ways: readonly string[] = Object.keys(WAYS);
export const wayAt = (i: number): string => ways[Math.floor(i / ONE_IN) % ways.length]!;

const isFirst = (name: string): boolean => {
  try {
    closeSync(openSync(`${notes}/${name}`, 'wx'));
    return true;
  } catch {
    return false;
  }
};
export const misbehave = ({ key, n }: Value): void => {
  if (notes === undefined) return;
  const i = n * KEYS + Number(key.slice(1));
  if (misbehavesAt(i) && isFirst(`${i}`)) WAYS[wayAt(i)]!();
};
