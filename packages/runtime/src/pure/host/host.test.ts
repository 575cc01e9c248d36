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
    case 'fatal':
    case 'drained':
      return effect.type;
    default:
      return `${effect.type} ${effect.unit}`;
  }
};
const host = (): { readonly state: HostState; tell(...events: readonly HostEvent[]): string[] } => {
  const state = new HostState(500);
  return { state, tell: (...events) => events.flatMap((event) => step(state, event)[1].map(textOf)) };
};

describe('an assignment', () => {
  test('starts the actors of its units, and is drained at once when none was to end', () => {
    expect(host().tell(assigned([0, 1], [1, 1]))).toEqual(['launch 0:0 in 1', 'launch 0:1 in 1', 'drained']);
  });
  test('leaves alone what stays in its epoch, drains what goes, and says when that has ended', () => {
    const { tell } = host();
    tell(assigned([0, 1], [1, 1]));
    expect(tell(assigned([0, 1], [2, 2]))).toEqual(['drain 0:1', 'launch 0:2 in 2']);
    expect(tell(ended(1))).toEqual(['over 0:1', 'drained']);
  });
  test('starts a unit that comes in another epoch when its old actor has ended', () => {
    const { tell } = host();
    tell(assigned([0, 1]));
    expect(tell(assigned([0, 2]))).toEqual(['drain 0:0']);
    expect(tell(ended(0))).toEqual(['over 0:0', 'launch 0:0 in 2', 'drained']);
  });
  test('starts nothing that a later assignment has taken away', () => {
    const { tell } = host();
    tell(assigned([0, 1]), assigned([0, 2]));
    expect(tell(assigned())).toEqual(['drain 0:0']);
    expect(tell(ended(0))).toEqual(['over 0:0', 'drained']);
  });
  test('ends the restarts of what goes: there is nothing to wait for', () => {
    const { tell } = host();
    tell(assigned([0, 1]), ended(0, failure('STOPLOG_HANDLER', 7n)));
    expect(tell(assigned())).toEqual(['restart no more 0:0', 'over 0:0', 'drained']);
    expect(tell({ type: 'due', unit: '0:0' })).toEqual([]);
  });
  test('kills the actors whose drain takes too long, and no others', () => {
    const { tell, state } = host();
    tell(assigned([0, 1], [1, 1]), assigned([0, 1]));
    expect(state.leaving).toEqual(['0:1']);
    expect(tell({ type: 'late', units: state.leaving })).toEqual(['kill 0:1']);
    expect(tell(ended(1, failure('STOPLOG_LOG_UNAVAILABLE')), { type: 'late', units: ['0:1'] })).toEqual(['over 0:1', 'drained']);
  });
});

describe('an actor that fails', () => {
  test('is started again after a while, with its record as a suspect', () => {
    const { tell } = host();
    tell(assigned([0, 1]));
    expect(tell(ended(0, failure('STOPLOG_HANDLER', 7n)))).toEqual(['restart 0:0 after 100']);
    expect(tell({ type: 'due', unit: '0:0' })).toEqual(['launch 0:0 in 1 suspect 7']);
  });
  test('takes fewer records at a time when any of many may be to blame, and has no suspect when none was open', () => {
    const { tell } = host();
    tell(assigned([0, 1]));
    expect(tell(ended(0, failure('STOPLOG_HANDLER', 7n, 100)), { type: 'due', unit: '0:0' })).toEqual([
      'restart 0:0 after 100',
      'launch 0:0 in 1 suspect 7 pace 7',
    ]);
    expect(tell(ended(0, failure('STOPLOG_HANDLER', 9n, 0)), { type: 'due', unit: '0:0' })).toEqual(['restart 0:0 after 100', 'launch 0:0 in 1']);
  });
  test('is given up after five failures at one record, and tried again in a new epoch', () => {
    const { tell } = host();
    tell(assigned([0, 1]));
    const said = Array.from({ length: 5 }, () => tell(ended(0, failure('STOPLOG_HANDLER', 7n)), { type: 'due', unit: '0:0' })).flat();
    expect(said.filter((text) => text.startsWith('launch'))).toHaveLength(4);
    expect(said.at(-1)).toBe('give up 0:0');
    expect(tell(assigned([0, 2]))).toEqual(['over 0:0', 'launch 0:0 in 2', 'drained']);
    expect(tell(ended(0, failure('STOPLOG_HANDLER', 7n)))).toEqual(['restart 0:0 after 100']);
  });
  test('ends the app when another try cannot help', () => {
    const { tell } = host();
    tell(assigned([0, 1]));
    expect(tell(ended(0, failure('STOPLOG_STORE_VERSION')))).toEqual(['fatal']);
  });
  test('counts no failures of the log together across a commit', () => {
    const { tell } = host();
    tell(assigned([0, 1]));
    const fail = (): string[] => tell(ended(0, failure('STOPLOG_LOG_FULL')), { type: 'due', unit: '0:0' });
    expect([fail()[0], fail()[0]]).toEqual(['restart 0:0 after 100', 'restart 0:0 after 200']);
    tell({ type: 'worked', unit: '0:0' });
    expect(fail()[0]).toBe('restart 0:0 after 100');
  });
  test('is not started again while it drains: however it ends, its unit is free', () => {
    const { tell } = host();
    tell(assigned([0, 1]), assigned());
    expect(tell(ended(0, failure('STOPLOG_HANDLER', 7n)))).toEqual(['over 0:0', 'drained']);
  });
});

test('an actor that is inside one record for too long is killed once', () => {
  const { tell } = host();
  tell(assigned([0, 1]));
  const seen = (record: number, at: number): HostEvent => ({ type: 'seen', unit: '0:0', sighting: { record, inside: true }, at });
  expect(tell(seen(1, 0), seen(1, 400), seen(3, 600), seen(3, 1_000))).toEqual([]);
  expect(tell(seen(3, 1_100), seen(3, 1_700))).toEqual(['kill 0:0']);
});
