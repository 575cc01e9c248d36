import { topic } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pure/pipeline/pipeline.ts';
import { stream } from '../pure/pipeline/stream.ts';
import { planOf } from '../pure/topology/plan.ts';
import type { AppEvent } from '../pure/host/app-event.ts';
import { reportToConsole } from './logger.ts';

const text = { key: z.string(), value: z.string(), partitions: 4 };
const plan = planOf(pipeline('orders', stream(topic('from', text)).to(topic('to', text))));
const said = (...events: readonly AppEvent[]): readonly string[] => {
  const lines: string[] = [];
  const report = reportToConsole(plan, (line) => lines.push(line.replace('stoplog   orders   ', '')));
  for (const event of events) report(event);
  return lines;
};
const rebalanced = (taken: number, handedOver: number, held: number): AppEvent => ({ type: 'rebalanced', taken, handedOver, held, of: 4 });

describe('the console', () => {
  test('the console prints nothing about partitions while one process has them all', () => {
    expect(said(rebalanced(4, 0, 4))).toEqual([]);
  });
  test('the console counts the actors of this process at each change, if other processes share them', () => {
    expect(said(rebalanced(0, 0, 0), rebalanced(2, 0, 2), rebalanced(0, 1, 1), rebalanced(1, 1, 1), rebalanced(0, 0, 1), rebalanced(3, 0, 4))).toEqual([
      '2 of 4 actors here: 2 taken',
      '1 of 4 actors here: 1 handed over to others',
      '1 of 4 actors here: 1 taken, 1 handed over to others',
      '4 of 4 actors here: 3 taken',
    ]);
  });
  test('the console prints how long the partitions of a static member wait for its return', () => {
    expect(said(rebalanced(3, 0, 3), { type: 'draining', stays: { instanceId: 'a', ms: 45_000 } }, { type: 'ended' })[1]).toBe(
      "draining 3 actors; a second signal ends at once. Its partitions wait 45 s for 'a' to come back",
    );
    expect(said(rebalanced(4, 0, 4), { type: 'draining' })).toEqual(['draining 4 actors; a second signal ends at once']);
  });
});
