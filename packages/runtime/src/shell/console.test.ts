import { topic } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pure/pipeline/pipeline.ts';
import { stream } from '../pure/pipeline/stream.ts';
import { planOf } from '../pure/topology/plan.ts';
import { tellConsole, type Told } from './console.ts';

const text = { key: z.string(), value: z.string(), partitions: 4 };
const plan = planOf(pipeline('orders', stream(topic('from', text)).to(topic('to', text))));
const said = (...events: readonly Told[]): readonly string[] => {
  const lines: string[] = [];
  const teller = tellConsole(plan, (line) => lines.push(line.replace('stoplog   orders   ', '')));
  for (const event of events) teller(event);
  return lines;
};
const assigned = (taken: number, handedOver: number, held: number): Told => ({ type: 'assigned', taken, handedOver, held, of: 4 });

describe('the console', () => {
  test('the console prints nothing about partitions while one process has them all', () => {
    expect(said(assigned(4, 0, 4))).toEqual([]);
  });
  test('the console counts the actors of this process at each change, if other processes share them', () => {
    expect(said(assigned(0, 0, 0), assigned(2, 0, 2), assigned(0, 1, 1), assigned(1, 1, 1), assigned(0, 0, 1), assigned(3, 0, 4))).toEqual([
      '2 of 4 actors here: 2 taken',
      '1 of 4 actors here: 1 handed over to others',
      '1 of 4 actors here: 1 taken, 1 handed over to others',
      '4 of 4 actors here: 3 taken',
    ]);
  });
  test('the console prints how long the partitions of a static member wait for its return', () => {
    expect(said(assigned(3, 0, 3), { type: 'draining', stays: { instanceId: 'a', ms: 45_000 } }, { type: 'ended' })[1]).toBe(
      "draining 3 actors; a second signal ends at once. Its partitions wait 45 s for 'a' to come back",
    );
    expect(said(assigned(4, 0, 4), { type: 'draining' })).toEqual(['draining 4 actors; a second signal ends at once']);
  });
});
