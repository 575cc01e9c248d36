/** The HTTP sink against a real server: what is sent, and how answers and faults are treated. */
import type { SinkRecord, SinkStart } from '@stoplog/core/port';
import { describe, expect, test } from 'vitest';
import { HttpTarget } from './fixtures/target.ts';
import { httpSink, type HttpSink, type Refusal } from './index.ts';

const START: SinkStart = { group: 'g', topic: 'orders', partition: 3, epoch: 1 };
const never = new AbortController().signal;
const record = (key: string | null, value: unknown, offset: bigint = 0n, index: number = 0): SinkRecord => ({
  key,
  value,
  timestamp: 1_000,
  headers: [],
  offset,
  index,
});

type Spec = Partial<HttpSink<string, unknown>>;
const write = async (target: HttpTarget, spec: Spec, records: readonly SinkRecord[], signal: AbortSignal = never): Promise<void> => {
  const sink = httpSink<string, unknown>('api', { url: ({ key }) => `${target.url}/orders/${key}`, version: 'if-match', ...spec });
  await using writer = await sink.open(START);
  await writer.write({ position: 100n, records }, signal);
};
const once = (status: number, headers: Readonly<Record<string, string>> = {}, methods: readonly string[] = ['PUT']): HttpTarget['fault'] => {
  let isOver = false;
  return ({ method }) => {
    if (isOver || !methods.includes(method)) return undefined;
    isOver = true;
    return { status, headers };
  };
};
const sent = (target: HttpTarget): readonly string[] => target.seen.map(({ method, path }) => `${method} ${path}`);

describe('a record as a request', () => {
  test('a value is put as JSON with its version, on the condition that nothing is there', async () => {
    await using target = await HttpTarget.start();
    await write(target, { headers: { Authorization: 'Bearer t' } }, [record('o1', { cents: 5 }, 17n, 2)]);
    expect(target.seen[1]).toMatchObject({
      method: 'PUT',
      path: '/orders/o1',
      body: '{"cents":5}',
      headers: { 'content-type': 'application/json', authorization: 'Bearer t', 'stoplog-version': 'orders[3]@17.2', 'if-none-match': '*' },
    });
    expect(target.seen[0]).toMatchObject({ method: 'HEAD', headers: { authorization: 'Bearer t' } });
    await write(target, {}, [record('o1', null, 18n)]);
    expect(target.seen[3]).toMatchObject({ method: 'DELETE', body: '', headers: { 'stoplog-version': 'orders[3]@18.0', 'if-match': '"orders[3]@17.2"' } });
  });
  test('with keys of idempotency each record is sent, in the order of its key', async () => {
    await using target = await HttpTarget.start();
    const records = ['a', 'b', 'a', 'a'].map((key, i) => record(key, i, BigInt(i)));
    await write(target, { version: 'idempotency-key', method: 'POST', body: ({ value, offset }) => `${String(value)} at ${offset}` }, records);
    expect(target.seen.filter(({ path }) => path === '/orders/a').map(({ method, headers, body }) => [method, headers['idempotency-key'], body])).toEqual([
      ['POST', '"g/api/orders[3]@0.0"', '0 at 0'],
      ['POST', '"g/api/orders[3]@2.0"', '2 at 2'],
      ['POST', '"g/api/orders[3]@3.0"', '3 at 3'],
    ]);
    expect(target.seen).toHaveLength(4);
  });
  test('several keys are written at the same time, as many as the concurrency allows', async () => {
    await using target = await HttpTarget.start();
    const records = ['a', 'b', 'c'].map((key) => record(key, 1));
    await write(target, { concurrency: 1 }, records);
    expect(sent(target)).toEqual(['a', 'b', 'c'].flatMap((key) => [`HEAD /orders/${key}`, `PUT /orders/${key}`]));
    // The first of these is answered when all three have come.
    let waiting: (() => void)[] = [];
    target.fault = () =>
      new Promise((resolve) => {
        waiting.push(() => resolve(undefined));
        if (waiting.length < 3) return;
        for (const answer of waiting) answer();
        waiting = [];
      });
    await write(
      target,
      { concurrency: 3, version: 'idempotency-key' },
      ['d', 'e', 'f'].map((key, i) => record(key, 1, BigInt(i))),
    );
    expect(target.changes).toBe(6);
  });
});

describe('an answer', () => {
  test('a version that another writer changed between HEAD and PUT is compared again: the newer one stays', async () => {
    await using target = await HttpTarget.start();
    let isOver = false;
    target.fault = ({ method }) => {
      if (method === 'PUT' && !isOver) {
        isOver = true;
        target.set('/orders/o1', 'orders[3]@50.0', 'theirs');
      }
      return undefined;
    };
    await write(target, {}, [record('o1', 'older', 17n)]);
    expect([...target.values()]).toEqual([['o1', 'theirs']]);
    isOver = false;
    target.set('/orders/o1', 'orders[3]@1.0', 'theirs');
    await write(target, {}, [record('o1', 'newer', 60n)]);
    expect([...target.values()]).toEqual([['o1', 'newer']]);
  });
  test.each([409, 412])('%i is compared again with versions', async (status) => {
    await using target = await HttpTarget.start();
    target.fault = once(status);
    await write(target, {}, [record('o1', 1)]);
    expect(sent(target)).toEqual(['HEAD /orders/o1', 'PUT /orders/o1', 'HEAD /orders/o1', 'PUT /orders/o1']);
  });
  test.each([408, 409, 425, 429, 500, 502, 503, 504])('%i is sent again with the same key of idempotency', async (status) => {
    await using target = await HttpTarget.start();
    target.fault = once(status, { 'retry-after': '0' });
    await write(target, { version: 'idempotency-key' }, [record('o1', 1)]);
    expect(new Set(target.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect([sent(target).length, target.changes]).toEqual([2, 1]);
  });
  test('a target may ask for more waits than a record has attempts', async () => {
    await using target = await HttpTarget.start();
    let left = 12;
    target.fault = () => (left-- > 0 ? { status: 429, headers: { 'retry-after': left % 2 === 0 ? '0' : 'Thu, 01 Jan 1970 00:00:00 GMT' } } : undefined);
    await write(target, { version: 'idempotency-key' }, [record('o1', 1)]);
    expect(target.changes).toBe(1);
  });
  test('a target that goes on failing fails the batch, with its last answer', async () => {
    await using target = await HttpTarget.start();
    target.fault = () => ({ status: 503, body: 'down for maintenance' });
    await expect(write(target, { version: 'idempotency-key' }, [record('o1', 1, 9n)])).rejects.toMatchObject({
      code: 'STOPLOG_SINK',
      facts: { sink: 'api', topic: 'orders', partition: 3, offset: 9n },
      message: expect.stringMatching(/orders\[3\]@9: the target answered PUT .* with 503 \(down for maintenance\)/),
    });
    expect(target.seen).toHaveLength(4);
  });
  test.each([301, 400, 401, 403, 404, 405, 422])('%i refuses the record: its partition waits, or it is skipped', async (status) => {
    await using target = await HttpTarget.start();
    target.fault = ({ method, path }) => (method === 'PUT' && path.endsWith('bad') ? { status, body: 'no such field' } : undefined);
    await expect(write(target, {}, [record('bad', 1, 9n)])).rejects.toThrow(
      new RegExp(`answered PUT .*bad with ${status} \\(no such field\\).*partition waits.*'refused'`),
    );
    const refusals: Refusal[] = [];
    const refused = (refusal: Refusal): 'skip' => {
      refusals.push(refusal);
      return 'skip';
    };
    await write(target, { refused }, [record('bad', 1, 9n), record('good', 2, 10n)]);
    expect(refusals).toMatchObject([{ status, body: 'no such field', record: { offset: 9n } }]);
    expect([...target.values().keys()]).toEqual(['good']);
  });
  test('a tombstone of a path that is not there is written', async () => {
    await using target = await HttpTarget.start();
    await write(target, {}, [record('o1', null)]);
    await write(target, { version: 'idempotency-key' }, [record('o2', null)]);
    expect(sent(target)).toEqual(['HEAD /orders/o1', 'DELETE /orders/o1', 'DELETE /orders/o2']);
  });
  test('a target without entity tags is refused', async () => {
    await using target = await HttpTarget.start();
    target.fault = ({ method }) => (method === 'HEAD' ? { status: 200 } : undefined);
    await expect(write(target, {}, [record('o1', 1)])).rejects.toThrow(/no ETag/);
  });
});

describe('a fault of the connection', () => {
  test.each(['drop before', 'drop after'] as const)('%s: the request is sent again, and the record has its effect once', async (fault) => {
    for (const version of ['if-match', 'idempotency-key'] as const) {
      await using target = await HttpTarget.start();
      let isOver = false;
      target.fault = ({ method }) => {
        if (isOver || method !== 'PUT') return undefined;
        isOver = true;
        return fault;
      };
      await write(target, { version }, [record('o1', 1)]);
      expect([[...target.values()], target.changes]).toEqual([[['o1', 1]], 1]);
    }
  });
  test('an answer that does not come within the time limit is as a dropped connection', async () => {
    await using target = await HttpTarget.start();
    let isOver = false;
    target.fault = () => {
      if (isOver) return undefined;
      isOver = true;
      return 'never';
    };
    await write(target, { version: 'idempotency-key', timeoutMs: 500 }, [record('o1', 1)]);
    expect(target.changes).toBe(1);
  });
  test('a write ends at once when its signal is aborted, in a request and in a wait', async () => {
    for (const fault of ['never', { status: 429, headers: { 'retry-after': '500' } }] as const) {
      await using target = await HttpTarget.start();
      const ending = new AbortController();
      target.fault = () => {
        setImmediate(() => ending.abort());
        return fault;
      };
      await expect(write(target, {}, [record('o1', 1), record('o2', 1)], ending.signal)).rejects.toThrow();
    }
  });
  test('the first key that fails ends the write, and no request is under way afterwards', async () => {
    await using target = await HttpTarget.start();
    target.fault = ({ path }) => (path.endsWith('bad') ? { status: 400 } : 'never');
    await expect(write(target, { version: 'idempotency-key' }, [record('slow', 1), record('bad', 1)])).rejects.toThrow(/bad with 400/);
  });
  test('a server that is not there fails the batch with the cause', async () => {
    const target = await HttpTarget.start();
    const url = `${target.url}/x`;
    await target[Symbol.asyncDispose]();
    await using other = await HttpTarget.start();
    await expect(write(other, { url: () => url }, [record('o1', 1)])).rejects.toThrow(/did not answer HEAD .*ECONNREFUSED/);
  });
});

test('settings that cannot be used are refused when the sink is declared', () => {
  const fine = { url: () => 'http://x', version: 'if-match' };
  const declare = (spec: object) => (): unknown => httpSink('api', { ...fine, ...spec } as HttpSink<string, string>);
  expect(declare({ url: 'http://x' })).toThrow(/url of sink 'api' cannot be used: give a function/);
  expect(declare({ version: 'etag' })).toThrow(/say 'if-match' or 'idempotency-key'/);
  expect(declare({ concurrency: 0 })).toThrow(/concurrency.*such as 8/);
  expect(declare({ timeoutMs: -1 })).toThrow(/timeoutMs.*milliseconds/);
  expect(declare({ retries: 3 })).toThrow(/knows no setting 'retries'/);
});
