import { describe, expect, test } from 'vitest';
import { deathOf, type Death } from './death.ts';

const memory = new Error('Worker terminated due to reaching memory limit: JS heap out of memory');
const death = (over: Partial<Death> = {}): Death => ({ task: 1, partition: 2, place: undefined, isNeighbour: false, ...over });
const place = { topic: 'from', partition: 2, offset: 7n };

describe('a thread that ran out of memory', () => {
  test('the record in progress is blamed, and memory is named', () => {
    expect(deathOf(death({ place }), memory)).toMatchObject({
      code: 'STOPLOG_HANDLER',
      facts: { task: 1, ...place },
      message: expect.stringMatching(/^task 1 ran out of memory at from\[2\] offset 7 .*heapMb/),
    });
  });
  test('between two records it counts as a failure of the handler, and memory is named', () => {
    expect(deathOf(death(), memory)).toMatchObject({
      code: 'STOPLOG_HANDLER',
      facts: { task: 1, partition: 2 },
      message: expect.stringMatching(/task 1, partition 2, ran out of memory between two records .*heapMb/),
    });
  });
  test('a neighbour of the actor to blame is restarted without a limit', () => {
    expect(deathOf(death({ isNeighbour: true }), memory)).toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE' });
  });
});

test('a thread that exited for another reason does not name memory', () => {
  const exit = new Error('worker exited with code: 7');
  expect(deathOf(death({ place }), exit).message).toMatch(/ended its thread at .*code: 7/);
  expect(deathOf(death(), exit).code).toBe('STOPLOG_LOG_UNAVAILABLE');
});
