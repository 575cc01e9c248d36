import { describe, expect, test } from 'vitest';
import type { Activity } from '../actor/place.ts';
import { deathOf, hangOf, type Death } from './death.ts';
import { skipCommand } from './skip-command.ts';

const memory = new Error('Worker terminated due to reaching memory limit: JS heap out of memory');
const exit = new Error('worker exited with code: 7');
const death = (over: Partial<Death> = {}): Death => ({ task: 1, partition: 2, activity: undefined, last: undefined, culprit: undefined, ...over });
const place = { topic: 'from', partition: 2, offset: 7n };
const record: Activity = { type: 'record', place };

describe('a thread that ran out of memory', () => {
  test('the record in progress is blamed, memory and its remedy are named, and the record can be left out', () => {
    const failure = deathOf(death({ activity: record }), memory);
    expect(failure).toMatchObject({ place, among: 1, error: { code: 'STOPLOG_HANDLER', facts: { task: 1, ...place } } });
    expect(failure.error.message).toMatch(/^task 1 ran out of memory at from\[2\] offset 7 .*heapMb/);
    expect(skipCommand('g', failure.error)).toContain('--to-offset 8');
  });
  test('in the encoding of a commit any of its records may be to blame: the next incarnation commits fewer', () => {
    const failure = deathOf(death({ activity: { type: 'commit', place, among: 40 } }), memory);
    expect(failure).toMatchObject({ place, among: 40, error: { code: 'STOPLOG_HANDLER' } });
    expect(failure.error.message).toMatch(/^task 1 ran out of memory while it encoded the commit of 40 records up to from\[2\] offset 7 .*heapMb/);
    expect(skipCommand('g', failure.error)).toBeUndefined();
  });
  test('a timer is named, and no record is blamed for it', () => {
    const failure = deathOf(death({ activity: { type: 'tick' } }), memory);
    expect(failure).toMatchObject({
      place: undefined,
      among: 0,
      error: { code: 'STOPLOG_HANDLER', message: expect.stringMatching(/at a timer of partition 2/) },
    });
  });
  test('between two records it counts as a failure behind the last one, memory is named, and no record is left out', () => {
    const failure = deathOf(death({ last: place }), memory);
    expect(failure).toMatchObject({ place, among: 0, error: { code: 'STOPLOG_HANDLER', facts: { task: 1, partition: 2 } } });
    expect(failure.error.message).toMatch(/task 1, partition 2, ran out of memory between two records behind from\[2\] offset 7 .*heapMb/);
    expect(skipCommand('g', failure.error)).toBeUndefined();
  });
  test('a neighbour of the actor to blame is restarted without a limit, and hears the cause', () => {
    const { error } = deathOf(death({ culprit: { task: 3, partition: 0, activity: { type: 'record', place: { ...place, partition: 0 } } } }), memory);
    expect(error).toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', message: expect.stringMatching(/task 3 at from\[0\] offset 7 .*heap out of memory/) });
  });
});

test('a thread that exited for another reason does not name memory', () => {
  expect(deathOf(death({ activity: record }), exit).error.message).toMatch(/ended its thread at .*code: 7/);
  expect(deathOf(death({ last: place }), exit)).toMatchObject({ place: undefined, error: { code: 'STOPLOG_LOG_UNAVAILABLE' } });
});

test('a hang names the record, the timer or the commit', () => {
  expect(hangOf(1, 2, record, 1_500)).toMatchObject({
    place,
    among: 1,
    error: { message: expect.stringMatching(/^task 1 hangs at from\[2\] offset 7, for 1\.5 s/) },
  });
  expect(hangOf(1, 2, { type: 'tick' }, 1_500)).toMatchObject({
    place: undefined,
    among: 0,
    error: { message: expect.stringMatching(/at a timer of partition 2/) },
  });
  expect(hangOf(1, 2, { type: 'commit', place, among: 9 }, 1_500)).toMatchObject({ place, among: 9 });
});
