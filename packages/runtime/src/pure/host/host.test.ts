import { StoplogError, topic, type StoplogCode } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { planOf } from '../topology/plan.ts';
import { HostState, step, type Failure, type HostEffect, type HostEvent } from './host.ts';
import type { Holdings } from './holdings.ts';
import { unitsOf } from './units.ts';

const numbers = { key: z.string(), value: z.int(), partitions: 3 };
const units = unitsOf(planOf(pipeline('p', stream(topic('from', numbers)).to(topic('to', numbers)))));
/** Units of partitions, each in an epoch. */
type InEpoch = readonly [partition: number, epoch: number];
const holdings = (...held: readonly InEpoch[]): Holdings =>
  new Map(held.map(([partition, epoch]) => [units[partition]!.name, { unit: units[partition]!, epoch }]));
const assigned = (...held: readonly InEpoch[]): HostEvent => ({ type: 'assigned', holdings: holdings(...held) });
const ended = (partition: number, failure?: Failure): HostEvent => ({ type: 'ended', unit: units[partition]!.name, failure, at: 0 });
const failure = (code: StoplogCode, offset?: bigint, among = 1): Failure => ({
  error: new StoplogError(code, {}, 'it failed'),
  place: offset === undefined ? undefined : { topic: 'from', partition: 0, offset },
  among,
});
const textOf = (effect: HostEffect): string => {
  switch (effect.type) {
    case 'launch':
      return `launch ${effect.held.unit.name} in ${effect.held.epoch}${effect.suspect === undefined ? '' : ` suspect ${effect.suspect.offset}`}${effect.pace === undefined ? '' : ` pace ${effect.pace}`}`;
    case 'restart':
      return `restart ${effect.unit} after ${effect.afterMs}`;
    case 'over':
      return `over ${effect.held.unit.name}`;
    case 'stand by':
      return `stand by for ${effect.afterMs}`;
    case 'answered':
      return `answered by ${effect.asked}`;
    case 'fatal':
    case 'drained':
    case 'waiting':
      return effect.type;
    default:
      return `${effect.type} ${effect.unit}`;
  }
};
const host = (): { readonly state: HostState; send(...events: readonly HostEvent[]): string[] } => {
  const state = new HostState(500);
  return { state, send: (...events) => events.flatMap((event) => step(state, event)[1].map(textOf)) };
};

describe('an assignment', () => {
  test('an assignment starts the actors of its units, and is drained at once when no actor ends', () => {
    expect(host().send(assigned([0, 1], [1, 1]))).toEqual(['launch 0:0 in 1', 'launch 0:1 in 1', 'drained']);
  });
  test('an assignment leaves units alone that stay in their epoch, drains revoked units, and reports when their actors have ended', () => {
    const { send } = host();
    send(assigned([0, 1], [1, 1]));
    expect(send(assigned([0, 1], [2, 2]))).toEqual(['drain 0:1', 'launch 0:2 in 2']);
    expect(send(ended(1))).toEqual(['over 0:1', 'drained']);
  });
  test('a unit of which earlier processes died is not started, has failed, and counts as started', () => {
    const { send, state } = host();
    const deadly = new Map([[units[0]!.name, { error: new Error('it kills'), failures: 4 }]]);
    expect(send({ type: 'assigned', holdings: holdings([0, 1], [1, 1]), failed: deadly })).toEqual(['failed 0:0', 'launch 0:1 in 1', 'drained']);
    expect(state.isStarted).toBe(false);
    send({ type: 'running', unit: '0:1' });
    expect([state.isStarted, [...state.failed.keys()]]).toEqual([true, ['0:0']]);
    // In another epoch it is tried again, unless it is deadly then.
    expect(send(assigned([0, 2], [1, 1]))).toEqual(['over 0:0', 'launch 0:0 in 2', 'drained']);
  });
  test('a unit that is assigned in another epoch starts when its old actor has ended', () => {
    const { send } = host();
    send(assigned([0, 1]));
    expect(send(assigned([0, 2]))).toEqual(['drain 0:0']);
    expect(send(ended(0))).toEqual(['over 0:0', 'launch 0:0 in 2', 'drained']);
  });
  test('a pending unit that a later assignment revokes is not started', () => {
    const { send } = host();
    send(assigned([0, 1]), assigned([0, 2]));
    expect(send(assigned())).toEqual(['drain 0:0', 'waiting']);
    expect(send(ended(0))).toEqual(['over 0:0', 'drained']);
  });
  test('an assignment cancels the restarts of revoked units, and does not wait for them', () => {
    const { send } = host();
    send(assigned([0, 1]), ended(0, failure('STOPLOG_HANDLER', 7n)));
    expect(send(assigned())).toEqual(['restart no more 0:0', 'over 0:0', 'drained', 'waiting']);
    expect(send({ type: 'due', unit: '0:0' })).toEqual([]);
  });
  test('the host kills an actor whose drain takes too long, and no other', () => {
    const { send, state } = host();
    send(assigned([0, 1], [1, 1]), assigned([0, 1]));
    expect(state.leaving).toEqual(['0:1']);
    expect(send({ type: 'late', units: state.leaving })).toEqual(['kill 0:1']);
    expect(send(ended(1, failure('STOPLOG_LOG_UNAVAILABLE')), { type: 'late', units: ['0:1'] })).toEqual(['over 0:1', 'drained']);
  });
});

describe('an actor that fails', () => {
  test('a failed actor is started again after a while, with its record as a suspect', () => {
    const { send } = host();
    send(assigned([0, 1]));
    expect(send(ended(0, failure('STOPLOG_HANDLER', 7n)))).toEqual(['restart 0:0 after 100']);
    expect(send({ type: 'due', unit: '0:0' })).toEqual(['launch 0:0 in 1 suspect 7']);
  });
  test('a restarted actor takes fewer records at a time when any of many may be to blame, and has no suspect when none was open', () => {
    const { send } = host();
    send(assigned([0, 1]));
    expect(send(ended(0, failure('STOPLOG_HANDLER', 7n, 100)), { type: 'due', unit: '0:0' })).toEqual([
      'restart 0:0 after 100',
      'launch 0:0 in 1 suspect 7 pace 7',
    ]);
    expect(send(ended(0, failure('STOPLOG_HANDLER', 9n, 0)), { type: 'due', unit: '0:0' })).toEqual(['restart 0:0 after 100', 'launch 0:0 in 1']);
  });
  test('a unit is stopped after five failures at one record, and is tried again in a new epoch', () => {
    const { send } = host();
    send(assigned([0, 1]));
    const said = Array.from({ length: 5 }, () => send(ended(0, failure('STOPLOG_HANDLER', 7n)), { type: 'due', unit: '0:0' })).flat();
    expect(said.filter((text) => text.startsWith('launch'))).toHaveLength(4);
    expect(said.at(-1)).toBe('failed 0:0');
    expect(send(assigned([0, 2]))).toEqual(['over 0:0', 'launch 0:0 in 2', 'drained']);
    expect(send(ended(0, failure('STOPLOG_HANDLER', 7n)))).toEqual(['restart 0:0 after 100']);
  });
  test('a failure that no restart can mend ends the app', () => {
    const { send } = host();
    send(assigned([0, 1]));
    expect(send(ended(0, failure('STOPLOG_STORE_VERSION')))).toEqual(['fatal']);
  });
  test('a commit resets the count of failures of the log', () => {
    const { send } = host();
    send(assigned([0, 1]));
    const fail = (): string[] => send(ended(0, failure('STOPLOG_LOG_FULL')), { type: 'due', unit: '0:0' });
    expect([fail()[0], fail()[0]]).toEqual(['restart 0:0 after 100', 'restart 0:0 after 200']);
    send({ type: 'worked', unit: '0:0' });
    expect(fail()[0]).toBe('restart 0:0 after 100');
  });
  test('a draining actor that fails is not started again: its unit is free', () => {
    const { send } = host();
    send(assigned([0, 1]), assigned());
    expect(send(ended(0, failure('STOPLOG_HANDLER', 7n)))).toEqual(['over 0:0', 'drained']);
  });
});

describe('a host', () => {
  const running = (partition: number): HostEvent => ({ type: 'running', unit: units[partition]!.name });
  const failForGood = (partition: number): readonly HostEvent[] =>
    Array.from({ length: 5 }, () => [ended(partition, failure('STOPLOG_HANDLER', 7n)), { type: 'due', unit: units[partition]!.name }] as const).flat();
  test('a host is started when the actor of each unit runs or has failed', () => {
    const { send, state } = host();
    expect(state.isStarted).toBe(false);
    send(assigned([0, 1], [1, 1]), running(0));
    expect(state.isStarted).toBe(false);
    send(...failForGood(1));
    expect(state.isStarted).toBe(true);
    send(assigned([0, 1], [1, 2]));
    expect(state.isStarted).toBe(false);
  });
  test('a host is started, too, when the sink of a unit is not there: the unit waits', () => {
    const { send, state } = host();
    send(assigned([0, 1], [1, 1]), running(0), ended(1, failure('STOPLOG_LOG_UNAVAILABLE')));
    expect(state.isStarted).toBe(false);
    send({ type: 'due', unit: '0:1' }, ended(1, failure('STOPLOG_SINK')));
    expect(state.isStarted).toBe(true);
  });
  test('a host lists the units that are retried until they work, have failed, or are revoked', () => {
    const { send, state } = host();
    const fail = (partition: number): readonly HostEvent[] => [ended(partition, failure('STOPLOG_SINK')), { type: 'due', unit: units[partition]!.name }];
    const listed = (): unknown => [...state.retrying].map(([unit, { failures }]) => `${unit} × ${failures}`);
    send(assigned([0, 1], [1, 1], [2, 1]), ...fail(0), ...fail(1), ...fail(1), ...fail(2));
    expect(listed()).toEqual(['0:0 × 1', '0:1 × 2', '0:2 × 1']);
    // An actor that runs again has not worked yet.
    send(running(0), running(1));
    expect(listed()).toEqual(['0:0 × 1', '0:1 × 2', '0:2 × 1']);
    send({ type: 'worked', unit: '0:0' }, ...failForGood(1), assigned([0, 1], [1, 1]));
    expect([listed(), [...state.failed.keys()]]).toEqual([[], ['0:1']]);
  });
  test('a host without units reports after a second that other processes have them all', () => {
    const { send, state } = host();
    expect(send(assigned())).toEqual(['drained', 'stand by for 1000']);
    expect(state.isStarted).toBe(false);
    expect(send({ type: 'stood by' })).toEqual(['waiting']);
    expect(state.isStarted).toBe(true);
  });
  test('a host that gets units within that second does not report so', () => {
    const { send } = host();
    send(assigned(), assigned([0, 1]));
    expect(send({ type: 'stood by' })).toEqual([]);
  });
  test('a host reports the loss of its last unit at once, but not when it stops', () => {
    const { send } = host();
    send(assigned([0, 1]));
    expect(send(assigned())).toEqual(['drain 0:0', 'waiting']);
    send(ended(0), assigned([0, 3]));
    expect(send({ type: 'stop' })).toEqual(['drain 0:0']);
  });
  test('a host remembers a failed unit until the unit is assigned in another epoch, also when the host stops', () => {
    const { send, state } = host();
    send(assigned([0, 1], [1, 1]), ...failForGood(0), ...failForGood(1), assigned([0, 1], [1, 2]));
    expect([...state.failed.keys()]).toEqual(['0:0']);
    send({ type: 'stop' });
    expect([...state.failed.keys()]).toEqual(['0:0']);
  });
});

describe('the question whether all actors are idle', () => {
  const idle = (partition: number): HostEvent => ({ type: 'idle', unit: units[partition]!.name });
  test('the question is answered when each actor that is not draining was idle once', () => {
    const { send } = host();
    send(assigned([0, 1], [1, 1], [2, 1]), assigned([0, 1], [1, 1]));
    expect(send({ type: 'ask' })).toEqual(['ask 0:0', 'ask 0:1']);
    expect(send(idle(0), idle(0))).toEqual([]);
    expect(send(idle(1), idle(1))).toEqual(['answered by 2']);
  });
  test('the question is answered at once when there is no actor', () => {
    expect(host().send({ type: 'ask' })).toEqual(['answered by 0']);
  });
  const changes: readonly (readonly [string, HostEvent, readonly string[]])[] = [
    ['a new incarnation runs', { type: 'running', unit: '0:0' }, []],
    ['an assignment changes', assigned([0, 1], [1, 1]), ['launch 0:1 in 1', 'drained']],
    ['the process stops', { type: 'stop' }, ['drain 0:0']],
    ['the app fails', { type: 'broken', error: new Error('no link') }, ['fatal']],
  ];
  test.each(changes)('the question is answered when %s, for the actors may not answer it any more', (_, event, before) => {
    const { send } = host();
    send(assigned([0, 1]), { type: 'ask' });
    expect(send(event)).toEqual([...before, 'answered by 1']);
  });
  test('the question stays open while a failed actor is restarted, and is answered when its unit has failed', () => {
    const { send } = host();
    send(assigned([0, 1]), { type: 'ask' });
    const said = Array.from({ length: 5 }, () => send(ended(0, failure('STOPLOG_HANDLER', 7n)), { type: 'due', unit: '0:0' }));
    expect(said.flat().filter((text) => text.startsWith('answered'))).toEqual(['answered by 1']);
    expect(said.at(-1)).toEqual(['failed 0:0', 'answered by 1']);
  });
});

test('an actor that is inside one record for too long is killed once', () => {
  const { send } = host();
  send(assigned([0, 1]));
  const seen = (record: number, at: number): HostEvent => ({ type: 'seen', unit: '0:0', sighting: { activity: record, inside: true }, at });
  expect(send(seen(1, 0), seen(1, 400), seen(3, 600), seen(3, 1_000))).toEqual([]);
  expect(send(seen(3, 1_100), seen(3, 1_700))).toEqual(['kill 0:0']);
});
