import { compactedTopic, store, topic } from '@stoplog/core';
import type { GroupDescription } from '@stoplog/core/tools';
import { pipeline, stream } from '@stoplog/runtime';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { planOf, rebuildPlanOf } from '../topology/plan.ts';
import { drainedTopics, neededRebuild, ownTopics, sourceTopics, tasksOf } from './needed.ts';

const lines = topic('lines', { key: z.string(), value: z.string(), partitions: 1 });
const words = topic('words', { key: z.string(), value: z.string(), partitions: 1 });
const counts = compactedTopic('counts', { key: z.string(), value: z.int(), partitions: 1 });
const byLine = store('by-line', { key: z.string(), value: z.int() });
/** `effects`: what follows from the words besides the store. */
const wordCount = (version: number, effects: 'none' | 'output' = 'none') => {
  const counted = stream(lines)
    .flatMap((line) => line.split(' '))
    .rekey((word) => word)
    .through(words)
    .count(store('by-word', { key: z.string(), value: z.int(), version }));
  return effects === 'output'
    ? pipeline('word-count', counted.to(counts), stream(lines).count(byLine))
    : pipeline('word-count', counted, stream(lines).count(byLine));
};
const STARTS = [{ topic: 'lines', partition: 0, offset: 0n }];
const fingerprintOf = (name: string): string =>
  planOf(wordCount(1))
    .tasks.flatMap(({ stores }) => stores)
    .find((one) => one.name === name)!.fingerprint;
const group = (stores: readonly (readonly [string, number])[], name = 'word-count'): GroupDescription => ({
  group: name,
  epoch: 1,
  members: [],
  positions: [{ topic: 'lines', partition: 0, offset: 5n }],
  stores: stores.map(([one, version]) => ({ store: one, version, fingerprint: fingerprintOf(one) })),
  owns: [],
});

describe('the stores that a program must rebuild', () => {
  const served = [
    group([
      ['by-word', 1],
      ['by-line', 1],
    ]),
  ];

  test('no store is rebuilt in the version that serves, nor by a pipeline that has never run', () => {
    expect(neededRebuild(planOf(wordCount(1)), served, STARTS)).toBeUndefined();
    expect(neededRebuild(planOf(wordCount(2)), [], STARTS)).toBeUndefined();
  });
  test('a raised version is rebuilt, and what served is kept under its own version', () => {
    expect(neededRebuild(planOf(wordCount(2)), served, STARTS)).toEqual({
      stores: [{ store: 'by-word', from: 1, to: 2, isReadable: true }],
      tag: 'by-word@2',
      keptAs: 'by-word@1',
      isBegun: false,
    });
  });
  test('a new store is rebuilt when its topics were read, and nothing is kept', () => {
    const without = [group([['by-word', 1]])];
    expect(neededRebuild(planOf(wordCount(1)), without, STARTS)).toMatchObject({ stores: [{ store: 'by-line', from: undefined, to: 1 }], keptAs: undefined });
    expect(neededRebuild(planOf(wordCount(1)), without, [{ ...STARTS[0]!, offset: 5n }])).toBeUndefined();
  });
  test('a lower version is rebuilt only from what is kept of it', () => {
    const second = group([
      ['by-word', 2],
      ['by-line', 1],
    ]);
    expect(neededRebuild(planOf(wordCount(1)), [second], STARTS)).toBeUndefined();
    expect(neededRebuild(planOf(wordCount(1)), [second, group([], 'word-count#by-word@1')], STARTS)).toMatchObject({
      tag: 'by-word@1',
      keptAs: 'by-word@2',
      isBegun: true,
    });
    expect(neededRebuild(planOf(wordCount(1)), [second, group([], 'other#by-word@1')], STARTS)).toBeUndefined();
  });
});

describe('the part of a pipeline that is replayed', () => {
  const plan = planOf(wordCount(2, 'output'));
  const part = rebuildPlanOf(wordCount(2, 'output'), ['by-word']);

  test('it has what leads to the store, and nothing that follows or stands beside', () => {
    expect(part.tasks.map(({ stores, outputs }) => [stores.map(({ name }) => name), outputs.map(({ name }) => name)])).toEqual([
      [[], ['words']],
      [['by-word'], []],
    ]);
    expect([sourceTopics(part), ownTopics(part)]).toEqual([['lines'], ['words']]);
  });
  test('the tasks of the whole pipeline wait that read the same topics', () => {
    expect([...tasksOf(plan, part)]).toEqual(plan.tasks.map(({ id }) => id));
    expect(tasksOf(plan, rebuildPlanOf(wordCount(2, 'output'), ['by-line'])).size).toBe(1);
  });
  test('a topic between tasks must be drained when its reader has an output, and need not when it only fills the store', () => {
    expect(drainedTopics(plan, part)).toEqual(['words']);
    expect(drainedTopics(planOf(wordCount(2)), rebuildPlanOf(wordCount(2), ['by-word']))).toEqual([]);
  });
});
