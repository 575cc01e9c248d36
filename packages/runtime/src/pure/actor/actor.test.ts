import { StoplogError } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { ActorState, step, type ActorEffect, type ActorEvent } from './actor.ts';
import { ToyWork } from './fixtures/toy-work.ts';

const toy = (
  change: (work: ToyWork) => void = () => {},
): { readonly work: ToyWork; readonly state: ActorState; send(...events: readonly ActorEvent[]): string[] } => {
  const work = new ToyWork();
  change(work);
  const state = new ActorState(work);
  const send = (...events: readonly ActorEvent[]): string[] =>
    events.flatMap((event) => {
      const [same, effects] = step(state, event);
      expect(same).toBe(state);
      return effects.map(textOf);
    });
  return { work, state, send };
};
const textOf = (effect: ActorEffect): string => {
  if (effect.type === 'commit') return `commit ${effect.number}: ${effect.commit.positions[0]!.topic}`;
  if (effect.type === 'wake') return `wake at ${effect.at}`;
  if (effect.type === 'end') return effect.error === undefined ? 'end' : `end: ${effect.error.message}`;
  return effect.type === 'pull' ? `pull ${effect.ask}` : effect.type;
};
const pulled = (ask: number, ...values: readonly number[]): ActorEvent => ({
  type: 'pulled',
  ask,
  batch: { arrivals: values.map((value) => ({ key: null, value, timestamp: 0 })), ended: false },
});
const [started, turn, resumed, drain]: readonly ActorEvent[] = [{ type: 'started' }, { type: 'turn' }, { type: 'resumed' }, { type: 'drain' }] as const;
const committed = (number: number): ActorEvent => ({ type: 'committed', number });
const refused = (number: number): ActorEvent => ({ type: 'refused', number, error: new StoplogError('STOPLOG_LOG_FULL', {}, 'no room') });

describe('an actor', () => {
  test('an actor rests when there is nothing to read, and takes each new record in a turn of its own', () => {
    const { send, state } = toy();
    expect(send(started!)).toEqual(['rest', 'pull 1']);
    expect(state.isAtRest).toBe(true);
    expect(send(pulled(1, 5))).toEqual(['turn']);
    expect(send(turn!)).toEqual(['yield']);
    expect(state.isAtRest).toBe(false);
  });
  test('an actor commits after the others have had their turns, and sends the commit before it takes more', () => {
    const { send } = toy();
    send(started!, pulled(1, 5, 6), turn!);
    expect(send(resumed!)).toEqual(['commit 1: 5', 'turn']);
    expect(send(turn!)).toEqual(['yield']);
  });
  test('an actor reads on while a commit is under way, and rests when the last one is answered', () => {
    const { send, state } = toy();
    send(started!, pulled(1, 5), turn!);
    expect(send(resumed!)).toEqual(['commit 1: 5', 'pull 2']);
    expect(state.isAtRest).toBe(false);
    expect(send(committed(1))).toEqual(['rest']);
    expect(state.isAtRest).toBe(true);
  });
  test('an actor has two commits under way at most; the batch grows until one is answered', () => {
    const { send } = toy();
    send(started!, pulled(1, 1, 2, 3, 4), turn!);
    expect(send(resumed!, turn!, resumed!)).toEqual(['commit 1: 1', 'turn', 'yield', 'commit 2: 2', 'turn']);
    expect(send(turn!, resumed!, turn!, resumed!)).toEqual(['yield', 'turn', 'yield']);
    expect(send(committed(1))).toEqual(['commit 3: 3+4', 'pull 2']);
  });
  test('an actor waits for a credit when a commit is due without one', () => {
    const { send } = toy((work) => (work.isDue = () => true));
    send(started!, pulled(1, 1, 2, 3, 4), turn!, resumed!, turn!, resumed!, turn!);
    expect(send(resumed!)).toEqual([]);
    expect(send(committed(1))).toEqual(['commit 3: 3', 'turn']);
  });
  test('an actor takes no record at or behind a suspect before every record ahead of it is in the log', () => {
    const { send } = toy((work) => (work.isSuspect = (n) => n === 2));
    send(started!, pulled(1, 1, 2, 3), turn!);
    expect(send(resumed!, turn!)).toEqual(['commit 1: 1', 'turn', 'yield']);
    expect(send(resumed!)).toEqual(['commit 2: 2']);
    expect(send(committed(1))).toEqual([]);
    expect(send(committed(2))).toEqual(['turn']);
  });
  test('an actor ignores an answer that comes too late, and the late failure of a request', () => {
    const { send } = toy();
    send(started!, pulled(1, 5));
    expect(send(pulled(1, 6), { type: 'failed', ask: 1, error: new Error('late') })).toEqual([]);
    expect(send(turn!)).toEqual(['yield']);
  });
});

describe('the end of an actor', () => {
  test('a drain at rest takes the answer to the waiting request, and ends', () => {
    const { send } = toy();
    send(started!);
    expect(send(drain!)).toEqual(['stop waiting']);
    expect(send(pulled(1))).toEqual(['end']);
    expect(send(pulled(1), turn!, resumed!, drain!)).toEqual([]);
  });
  test('a drain commits the open batch and waits for the answers', () => {
    const { send } = toy((work) => (work.isDue = () => false));
    send(started!, pulled(1, 1, 2), turn!);
    expect(send(drain!)).toEqual([]);
    expect(send(resumed!)).toEqual(['commit 1: 1']);
    expect(send(committed(1))).toEqual(['end']);
  });
  test('an actor that is drained before it starts ends at once', () => {
    expect(toy().send(drain!)).toEqual(['end']);
  });
  test('a handler that throws ends the actor with its error, after the commits under way, and nothing of the batch is sent', () => {
    const { send } = toy();
    send(started!, pulled(1, 1, Number.NaN), turn!, resumed!);
    expect(send(turn!)).toEqual([]);
    expect(send(committed(1))).toEqual(['end: not a number']);
  });
  test('a refused commit ends the actor, and no later commit is sent', () => {
    const { send } = toy();
    send(started!, pulled(1, 1, 2, 3), turn!, resumed!, turn!);
    expect(send(resumed!)).toEqual(['commit 2: 2', 'turn']);
    send(turn!);
    expect(send(refused(1))).toEqual([]);
    expect(send(resumed!)).toEqual([]);
    expect(send(refused(2))).toEqual(['end: no room']);
  });
  test('a refused commit ends an actor at rest and stops its waiting request', () => {
    const { send } = toy();
    send(started!, pulled(1, 1), turn!, resumed!);
    expect(send(refused(1))).toEqual(['stop waiting', 'end: no room']);
  });
  test('an unhandled rejection of a handler, blamed between turn and commit, ends the actor, and nothing of its batch is sent', () => {
    const { send } = toy();
    send(started!, pulled(1, 1), turn!);
    expect(send({ type: 'blamed', error: 'a promise' })).toEqual(['end: blamed: a promise']);
    expect(send(resumed!)).toEqual([]);
  });
  test('an actor that is abandoned drops its open batch, and ends without an error', () => {
    const { send } = toy((work) => (work.isDue = () => false));
    send(started!, pulled(1, 1, 2), turn!);
    expect(send({ type: 'abandon' })).toEqual(['end']);
  });
  test('the failure of a request ends the actor', () => {
    const { send } = toy();
    send(started!);
    expect(send({ type: 'failed', ask: 1, error: new Error('gone') })).toEqual(['stop waiting', 'end: gone']);
  });
});

describe('a tick', () => {
  test('a tick comes at the time that the work asked for, and its writes are committed at rest', () => {
    const { send, work, state } = toy((one) => (one.wakeAt = 50));
    expect(send(started!)).toEqual(['rest', 'pull 1', 'wake at 50']);
    expect(send({ type: 'ticked', wallClock: 51 })).toEqual(['commit 1: 0']);
    expect(work.ticks).toEqual([51]);
    expect(state.isAtRest).toBe(false);
    expect(send(committed(1))).toEqual(['rest']);
  });
  test('a tick between a turn and its commit is part of that commit', () => {
    const { send, work } = toy();
    send(started!, pulled(1, 7), turn!);
    work.wakeAt = 10;
    expect(send({ type: 'ticked', wallClock: 10 })).toEqual([]);
    expect(send(resumed!)).toEqual(['commit 1: 7+0', 'pull 2']);
  });
  test('an actor that ends gets no tick', () => {
    const { send, work } = toy();
    send(started!, pulled(1, 1), turn!, resumed!, drain!, pulled(2));
    expect(send({ type: 'ticked', wallClock: 1 })).toEqual([]);
    expect(work.ticks).toEqual([]);
    expect(send(committed(1))).toEqual(['end']);
  });
});
