/** The flagship: copies, counts, rekeys through a topic, and sums. Three tasks, two stores, eleven actors. */
import { compactedTopic, store, topic, type CompactedTopic, type Store, type Topic } from '@stoplog/core';
import { pipeline, stream, type Pipeline } from '@stoplog/runtime';
import { z } from 'zod';
import { groupOf, type Value } from '../checkers/model-checker.ts';
import { announce } from './at-work.ts';
import { misbehave } from './misbehave.ts';
import { startOffspring } from './offspring.ts';

const Key = z.string();
const Numbered = z.object({ key: z.string(), n: z.int() });
const Sum = z.object({ count: z.int(), sum: z.int() });
type SumOf = z.infer<typeof Sum>;

export const PARTITIONS = 4;
export const GROUPS = 3;
export const numbers: Topic<string, Value> = topic('numbers', { key: Key, value: Numbered, partitions: PARTITIONS });
export const copies: Topic<string, Value> = topic('copies', { key: Key, value: Numbered, partitions: PARTITIONS });
export const byGroup: Topic<string, Value> = topic('by-group', { key: Key, value: Numbered, partitions: GROUPS });
export const totals: CompactedTopic<string, SumOf> = compactedTopic('totals', { key: Key, value: Sum, partitions: GROUPS });
export const perKey: Store<string, number> = store('per-key', { key: Key, value: z.int() });
export const perGroup: Store<string, SumOf> = store('per-group', { key: Key, value: Sum });

/** A handler that takes some time, so that a kill falls into the middle of the work. */
const spinUs = Number(process.env['SPIN_US'] ?? 0);
/** Two records take long. */
const slowMs = Number(process.env['SLOW_MS'] ?? 0);
const isSlow = ({ key, n }: Value): boolean => (key === 'k7' && n === 3) || (key === 'k8' && n === 5);
let isChildless = process.env['OFFSPRING'] === 'yes';
const busy = (value: Value): Value => {
  announce();
  misbehave(value);
  if (isChildless) {
    isChildless = false;
    startOffspring();
  }
  const ms = slowMs > 0 && isSlow(value) ? slowMs : spinUs / 1_000;
  if (ms === 0) return value;
  const until = performance.now() + ms;
  while (performance.now() < until);
  return value;
};

const all = stream(numbers).map(busy);
const flagship: Pipeline = pipeline(
  'flagship',
  all.to(copies),
  all.count(perKey),
  all
    .rekey(groupOf)
    .through(byGroup)
    .fold(perGroup, { init: () => ({ count: 0, sum: 0 }), update: ({ count, sum }, { n }) => ({ count: count + 1, sum: sum + n }) })
    .to(totals),
);
export default flagship;
