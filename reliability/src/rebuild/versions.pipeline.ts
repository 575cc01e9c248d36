/**
 * A pipeline whose store has two versions. Both copy every number, and write an effect for each behind a topic between tasks; version 2
 * weighs twice as much. VERSION chooses the program.
 */
import { store, topic, type Store, type Topic } from '@stoplog/core';
import { pipeline, stream, type Pipeline } from '@stoplog/runtime';
import { z } from 'zod';

const Numbered = z.object({ key: z.string(), n: z.int() });
const Sum = z.object({ count: z.int(), sum: z.int() });
export type Value = z.infer<typeof Numbered>;

export const version = Number(process.env['VERSION'] ?? 1);
export const weightOf = (n: number, of: number): number => of * (n % 7);
export const groupOf = ({ key }: Value): string => `g${Number(key.slice(1)) % 5}`;

export const numbers: Topic<string, Value> = topic('numbers', { key: z.string(), value: Numbered, partitions: 3 });
export const copies: Topic<string, Value> = topic('copies', { key: z.string(), value: Numbered, partitions: 2 });
export const byGroup: Topic<string, Value> = topic('by-group', { key: z.string(), value: Numbered, partitions: 2 });
export const effects: Topic<string, string> = topic('effects', { key: z.string(), value: z.string(), partitions: 2 });
export const perGroup: Store<string, z.infer<typeof Sum>> = store('per-group', { key: z.string(), value: Sum, version });

const all = stream(numbers);
const grouped = all.rekey(groupOf).through(byGroup);
const versions: Pipeline = pipeline(
  'versions',
  all.to(copies),
  grouped.map(({ key, n }) => `${key}:${n}`).to(effects),
  grouped.fold(perGroup, { init: () => ({ count: 0, sum: 0 }), update: ({ count, sum }, { n }) => ({ count: count + 1, sum: sum + weightOf(n, version) }) }),
);
export default versions;
