import { type Source, topic } from '@stoplog/core';
import type { AssignedPartition } from '@stoplog/core/port';
import { partitionName } from '@stoplog/core/kit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pipeline/pipeline.ts';
import { source } from '../pipeline/arrivals.ts';
import { stream } from '../pipeline/stream.ts';
import { planOf } from '../topology/plan.ts';
import { differenceOf, holdingsIn, NOTHING_HELD, type Held, type Holdings } from './holdings.ts';
import { unitsOf } from './units.ts';

const numbers = { key: z.string(), value: z.int(), partitions: 2 };
const [paid, refunded, feed, sums] = [topic('paid', numbers), topic('refunded', numbers), topic('feed', numbers), topic('sums', numbers)];
const outside: Source<string, number> = { kind: 'source', name: 'outside', open: () => Promise.reject(new Error('not opened here')) };
const plan = planOf(
  pipeline('shared', stream(paid).merge(stream(refunded)).to(sums), source(outside).rekey(String).through(feed).to(topic('copies', numbers))),
);
const units = unitsOf(plan);
const given = (epoch: number, ...places: readonly string[]): readonly AssignedPartition[] =>
  places.map((place) => {
    const [name, partition] = place.split('/');
    return { topic: name!, partition: Number(partition), epoch };
  });
const placesOf = (held: readonly Held[]): unknown => held.map(({ unit }) => unit.places.map(partitionName));
const namesOf = (held: readonly { readonly unit: { readonly name: string } }[]): readonly string[] => held.map(({ unit }) => unit.name);
const topicsOf = (holdings: Holdings): unknown =>
  [...holdings.values()].map(({ unit, epoch }) => [unit.places.map(({ topic }) => topic), unit.partition, epoch]);

describe('units', () => {
  test('a unit is a task at a partition with all inputs at that partition, or a partition of a source', () => {
    expect(new Set(units.map(({ places }) => places.map(partitionName).join(' ')))).toEqual(
      new Set(['feed[0]', 'feed[1]', 'paid[0] refunded[0]', 'paid[1] refunded[1]', 'source:outside']),
    );
  });
  test('each unit has a name of its own', () => {
    expect(new Set(units.map(({ name }) => name)).size).toBe(units.length);
  });
});

describe('holdings', () => {
  test('holdings are the units that were assigned whole, in whatever order', () => {
    const held = holdingsIn(units, given(3, 'refunded/1', 'feed/0', 'paid/1', 'source:outside/0'));
    expect(topicsOf(held)).toEqual(
      expect.arrayContaining([
        [['paid', 'refunded'], 1, 3],
        [['feed'], 0, 3],
        [['source:outside'], 0, 3],
      ]),
    );
    expect(held.size).toBe(3);
  });
  test('holdings do not include a unit that is assigned in part, in two epochs, or by another pipeline', () => {
    expect(holdingsIn(units, [...given(3, 'paid/0', 'other/1', 'paid/1'), ...given(4, 'refunded/1')]).size).toBe(0);
  });
});

describe('the difference of two assignments', () => {
  const before = holdingsIn(units, given(3, 'feed/0', 'feed/1', 'source:outside/0'));

  test('a unit in both assignments in one epoch stays untouched', () => {
    const now = holdingsIn(units, [...given(3, 'feed/0', 'source:outside/0'), ...given(4, 'paid/0', 'refunded/0')]);
    const { ended, started, kept } = differenceOf(before, now);
    expect([placesOf(ended), placesOf(started)]).toEqual([[['feed[1]']], [['paid[0]', 'refunded[0]']]]);
    expect(new Set([...kept, ...started])).toEqual(new Set(now.values()));
    expect(kept.length).toBe(2);
  });
  test('a unit that is assigned again in another epoch ends and starts', () => {
    const now = holdingsIn(units, given(5, 'feed/1'));
    const { ended, started, kept } = differenceOf(before, now);
    expect([ended.length, namesOf(started), kept]).toEqual([3, [...now.keys()], []]);
  });
  test('the first assignment starts every unit, and an empty one ends every unit', () => {
    expect(differenceOf(NOTHING_HELD, before)).toEqual({ ended: [], started: [...before.values()], kept: [] });
    expect(differenceOf(before, NOTHING_HELD)).toEqual({ ended: [...before.values()], started: [], kept: [] });
    expect(differenceOf(before, before)).toEqual({ ended: [], started: [], kept: [...before.values()] });
  });
});
