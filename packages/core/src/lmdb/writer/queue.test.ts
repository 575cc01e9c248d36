/** A turn of the queue that fails: no call is applied twice, and no refusal is remembered for ever. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { errorFromData, StoplogError } from '../../pure/errors.ts';
import { readEnds } from '../tables/rows.ts';
import type { Env } from '../tables/env.ts';
import { openBareEnv, type BareEnv } from '../fixtures/bare-env.ts';
import { CallQueue, type Apply, type Outcome } from './queue.ts';
import { RefusedIncarnations } from '../transaction/refused-incarnations.ts';
import type { Transact } from '../transaction/transactions.ts';

let bare: BareEnv;
let env: Env;
let inTransaction: Transact;
beforeEach(() => {
  bare = openBareEnv();
  ({ env, inTransaction } = bare);
});
afterEach(() => bare.close());

/** Moves the end of a partition up by one, as an append does. */
const appended =
  (partition: number): Apply =>
  (ends) => {
    const { end, ...rest } = ends.get(1, partition);
    ends.set(1, partition, { ...rest, end: end + 1n });
    return { type: 'committed', offsets: [end] };
  };
const endOf = (partition: number): bigint => {
  env.root.resetReadTxn();
  return readEnds(env, 1, partition).end;
};
const call = (queue: CallQueue, apply: Apply, incarnation?: string): Promise<Outcome> =>
  new Promise((resolve) => {
    const admitted: Apply = (ends) => {
      queue.refused.check(incarnation);
      return apply(ends);
    };
    queue.add({ bytes: 1, incarnation, apply: admitted, answer: resolve });
  });
const codeOf = (outcome: Outcome): unknown => (outcome.type === 'failed' ? errorFromData(outcome.error) : outcome.type);

/** Fails as LMDB does when a flush fails: the commit is made, and then an error is thrown. */
const failingFlush = (failures: number): void => {
  const { root } = env;
  const real = root.transactionSync.bind(root);
  let left = failures;
  Object.defineProperty(root, 'transactionSync', {
    value: (...args: Parameters<typeof real>) => {
      real(...args);
      if (left-- > 0) throw Object.assign(new Error('Input/output error'), { code: 5 });
    },
  });
};

describe('a flush that fails', () => {
  test('a failed flush refuses all its calls, and retries none of them, because their commit is already visible', async () => {
    failingFlush(1);
    const queue = new CallQueue(env, inTransaction, () => {});
    const outcomes = await Promise.all([0, 1, 2].map((partition) => call(queue, appended(partition))));
    for (const outcome of outcomes) expect(codeOf(outcome)).toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', message: expect.stringContaining('restart') });
    expect([0, 1, 2].map(endOf)).toEqual([1n, 1n, 1n]);
  });
  test('a failed flush is the last of its process: the next one could report success falsely', async () => {
    failingFlush(1);
    const queue = new CallQueue(env, inTransaction, () => {});
    await call(queue, appended(0));
    expect(codeOf(await call(queue, appended(0)))).toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', facts: { path: bare.path } });
    expect(endOf(0)).toBe(1n);
  });
  test('a commit that was not made, unlike a failed flush, is retried call by call', async () => {
    const queue = new CallQueue(env, inTransaction, () => {});
    let thrown = 0;
    const bad: Apply = () => {
      thrown++;
      throw Object.assign(new Error('Input/output error'), { code: 5 });
    };
    const outcomes = await Promise.all([call(queue, appended(0)), call(queue, bad), call(queue, appended(0))]);
    expect(outcomes.map(({ type }) => type)).toEqual(['committed', 'failed', 'committed']);
    expect([thrown, endOf(0)]).toEqual([2, 2n]);
  });
});

test('a waiting caller is answered before the flush where the commit is visible then, and after it in any case', async () => {
  for (const [showsEarly, expected] of [
    [false, ['after']],
    [true, ['before', 'after']],
  ] as const) {
    const heard: string[] = [];
    let isOver = false;
    const flushing: Transact = (write) => {
      const commit = inTransaction(() => write(showsEarly));
      isOver = true;
      return commit;
    };
    const queue = new CallQueue(env, flushing, () => heard.push(isOver ? 'after' : 'before'));
    await call(queue, appended(0));
    expect(heard).toEqual(expected);
  }
});
test('later commits of a refused incarnation are refused, and the oldest incarnations are forgotten', async () => {
  const most = 100;
  const queue = new CallQueue(env, inTransaction, () => {}, new RefusedIncarnations(most));
  const fenced: Apply = () => {
    throw new StoplogError('STOPLOG_FENCED', {}, 'another was faster: nothing is to be done');
  };
  await call(queue, fenced, 'first');
  expect(codeOf(await call(queue, appended(0), 'first'))).toMatchObject({ code: 'STOPLOG_FENCED', facts: { incarnation: 'first' } });
  await Promise.all(Array.from({ length: most }, (_, i) => call(queue, fenced, `${i}`)));
  expect(codeOf(await call(queue, appended(0), `${most - 1}`))).toMatchObject({ code: 'STOPLOG_FENCED' });
  expect(codeOf(await call(queue, appended(0), 'first'))).toBe('committed');
});
test('commits of an incarnation after a failed one are refused, for any failure', async () => {
  const queue = new CallQueue(env, inTransaction, () => {});
  const failing: Apply = () => {
    throw Object.assign(new Error('No space left on device'), { code: 28 });
  };
  const outcomes = await Promise.all([call(queue, failing, 'one'), call(queue, appended(0), 'one'), call(queue, appended(0), 'another')]);
  expect(outcomes.map((outcome) => (outcome.type === 'failed' ? outcome.error.code : outcome.type))).toEqual([
    'STOPLOG_LOG_FULL',
    'STOPLOG_FENCED',
    'committed',
  ]);
});
