/** The writer's knowledge of topics when the entry of one is damaged: appends to the others must continue. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { topicMetaKey } from '../layout/meta.ts';
import { applyEnsure } from '../transaction/declare.ts';
import { timesOf } from './log-time.ts';
import { Cleanups } from './cleanups.ts';
import { openBareEnv, type BareEnv } from '../fixtures/bare-env.ts';
import { shape } from '../fixtures/letters.mjs';
import { putRaw } from './sealed.ts';

let bare: BareEnv;
beforeEach(() => {
  bare = openBareEnv();
});
afterEach(() => bare.close());

test('an append to a topic whose entry is damaged is refused, and appends to the others continue', () => {
  const { env, committing } = bare;
  committing(() =>
    applyEnsure(
      env,
      ['a', 'b', 'c'].map((name) => ({ ...shape, name, retentionMs: 5 })),
    ),
  );
  committing(() => putRaw(env, 'meta', topicMetaKey('b'), Buffer.from('{"id":2}')));
  const cleanups = new Cleanups(
    env,
    timesOf(() => 0),
  );
  expect(cleanups.refresh().map(({ name }) => name)).toEqual(['a', 'c']);
  expect([cleanups.of(1).retentionMs, cleanups.of(3).retentionMs, cleanups.nameOf(3)]).toEqual([5, 5, 'c']);
  for (const ask of [() => cleanups.of(2), () => cleanups.stampsArrival(2)])
    expect(ask).toThrow(expect.objectContaining({ code: 'STOPLOG_LOG_CORRUPT', facts: expect.objectContaining({ table: 'meta' }) }));
});

test('a topic that is created or altered is read alone, and the others stay known', () => {
  const { env, committing } = bare;
  const ensure = (name: string, retentionMs: number): void => committing(() => applyEnsure(env, [{ ...shape, name, retentionMs }]));
  const cleanups = new Cleanups(
    env,
    timesOf(() => 0),
  );
  ensure('a', 5);
  cleanups.refresh();
  const all = vi.spyOn(env.tables.meta, 'getRange');
  ensure('b', 6);
  ensure('a', 7);
  cleanups.learn(['a', 'b', 'missing']);
  expect([cleanups.of(1).retentionMs, cleanups.of(2).retentionMs, cleanups.nameOf(2)]).toEqual([7, 6, 'b']);
  expect(all).not.toHaveBeenCalled();
});
