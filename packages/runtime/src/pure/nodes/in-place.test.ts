import { compactedTopic, store, topic, type LogRecord } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drive } from '../../testing/drive.ts';
import { pipeline, type Pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { table } from '../pipeline/table.ts';

const Counter = z.object({ c: z.int(), tags: z.array(z.string()).optional() });
type Counter = z.infer<typeof Counter>;
const [from, to, also] = [
  topic('from', { key: z.string(), value: Counter }),
  topic('to', { key: z.string(), value: Counter }),
  topic('also', { key: z.string(), value: Counter }),
];
const kept = store('kept', { key: z.string(), value: Counter });
const totals = compactedTopic('totals', { key: z.string(), value: Counter });
const names = compactedTopic('names', { key: z.string(), value: Counter });
const blob = { key: z.string(), value: z.instanceof(Uint8Array) };
const [bytesFrom, bytesTo, bytesAlso] = [
  topic('bytes-from', { ...blob, codec: { value: 'bytes' } }),
  topic('bytes-to', { ...blob, codec: { value: 'bytes' } }),
  topic('bytes-also', { ...blob, codec: { value: 'bytes' } }),
];
/** Code that the types refuse, and that a module in plain JavaScript may contain. */
const writable = <T>(value: T): { -readonly [P in keyof T]: T[P] } => value;
const raise = (value: { readonly c: number }): void => void (writable(value).c += 1);

const refusalOf = (made: Pipeline): unknown => {
  const d = drive(made);
  try {
    if (made.name.endsWith('of-names')) d.send(names, 'a', { c: 1 });
    else for (let n = 0; n < 3; n++) d.send(from, 'a', { c: n, tags: ['t'] });
  } catch (error) {
    return error;
  }
  return undefined;
};
const changing = (value: Counter): Counter => {
  raise(value);
  return value;
};

describe('a value that a function changes in place is refused by the name of its verb', () => {
  test.each<readonly [string, string, Pipeline]>([
    [
      'filter',
      'its input',
      pipeline(
        'p',
        stream(from)
          .filter((v) => changing(v).c > 0)
          .to(to),
      ),
    ],
    ['map', 'its input', pipeline('p', stream(from).map(changing).to(to))],
    [
      'map',
      'a list in its input',
      pipeline(
        'p',
        stream(from)
          .map((v) => (v.tags?.push('x'), v))
          .to(to),
      ),
    ],
    [
      'map',
      'the result of another map',
      pipeline(
        'p',
        stream(from)
          .map((v) => ({ ...v }))
          .map(changing)
          .to(to),
      ),
    ],
    [
      'flatMap',
      'its input',
      pipeline(
        'p',
        stream(from)
          .flatMap((v) => [changing(v)])
          .to(to),
      ),
    ],
    [
      'rekey',
      'its input',
      pipeline(
        'p',
        stream(from)
          .rekey((v) => String(changing(v).c))
          .through(also)
          .to(to),
      ),
    ],
    ['fold', 'the state', pipeline('p', stream(from).fold(kept, { init: () => ({ c: 0 }), update: (a) => changing(a as Counter) }))],
    ['fold', 'what init returned', pipeline('p', stream(from).fold(kept, { init: () => ({ c: 0 }), update: (a) => changing(a as Counter) }))],
    [
      'process',
      'the state',
      pipeline(
        'p',
        stream(from)
          .process(kept, (v, s, { key }) => (s.get(key) ? raise(s.get(key)!) : s.set(key, v), [v]))
          .to(to),
      ),
    ],
    [
      'process',
      'a state that it has set',
      pipeline(
        'p',
        stream(from)
          .process(kept, (v, s, { key }) => {
            const made = { c: v.c };
            s.set(key, made);
            raise(made);
            return [v];
          })
          .to(to),
      ),
    ],
    [
      'process',
      'its input, in a generator',
      pipeline(
        'p',
        stream(from)
          .process(kept, function* (v) {
            yield v;
            raise(v);
          })
          .to(to),
      ),
    ],
    ['map', 'a value of a table', pipeline('map-of-names', table(names).map(changing).to(totals))],
    [
      'filter',
      'a value of a table',
      pipeline(
        'filter-of-names',
        table(names)
          .filter((v) => changing(v).c > 0)
          .to(totals),
      ),
    ],
    [
      'map',
      'a property of the record',
      pipeline(
        'p',
        stream(from)
          .map((v, record) => ((writable(record).timestamp = 7), v))
          .to(to),
      ),
    ],
  ])('%s: %s', (verb, _what, made) => {
    expect(refusalOf(made)).toMatchObject({
      code: 'STOPLOG_HANDLER',
      facts: { verb },
      message: expect.stringMatching(new RegExp(`given to ${verb}\\(…\\) changed a value in place .*make a new one`)),
    });
  });

  test('join refuses a write to the value of the table', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .join(table(names), (v, n) => changing(n as Counter) && v)
          .to(to),
      ),
    );
    d.send(names, 'a', { c: 1 });
    expect(() => d.send(from, 'a', { c: 1 })).toThrow(/given to join\(…\) changed a value in place/);
  });
});

describe('bytes, dates and maps, which cannot be frozen', () => {
  const zero = <T extends Uint8Array>(value: T): T => value.fill(0) as T;

  test('a branch that overwrites its input changes nothing for its sibling, nor for the bytes that are appended', () => {
    const read = stream(bytesFrom);
    const d = drive(pipeline('p', read.map(zero).to(bytesTo), read.map((v) => v).to(bytesAlso)));
    d.send(bytesFrom, 'a', Uint8Array.of(1, 2));
    expect(d.read(bytesAlso)).toEqual([{ key: 'a', value: Uint8Array.of(1, 2) }]);
    const filtered = drive(pipeline('p', read.filter((v) => zero(v).length > 0).to(bytesTo)));
    filtered.send(bytesFrom, 'a', Uint8Array.of(1, 2));
    expect(filtered.read(bytesTo)).toEqual([{ key: 'a', value: Uint8Array.of(1, 2) }]);
  });

  test('each read of a record has bytes of its own, however often it is read', () => {
    const third = <T extends Uint8Array>(_: T, record: LogRecord<string, T>): T => {
      zero(record.value);
      return record.value;
    };
    const read = stream(bytesFrom);
    const made = read.map(() => Uint8Array.of(3, 4));
    const d = drive(pipeline('p', read.map(third).to(bytesTo), made.map(third).to(bytesAlso)));
    d.send(bytesFrom, 'a', Uint8Array.of(1, 2));
    expect([d.read(bytesTo), d.read(bytesAlso)]).toEqual([[{ key: 'a', value: Uint8Array.of(1, 2) }], [{ key: 'a', value: Uint8Array.of(3, 4) }]]);
  });

  test('a value that a map returned reaches each branch as it was returned', () => {
    const made = stream(from).map(() => ({ at: new Date(5), seen: new Map([['a', [1]]]) }));
    const out = topic('out', { key: z.string(), value: z.int() });
    const d = drive(
      pipeline(
        'p',
        made.map((v) => v.at.setTime(9) + (v.seen.get('a')?.push(2) ?? 0)).to(out),
        made.map((v) => v.at.getTime() + (v.seen.get('a')?.length ?? 0)).to(topic('out-2', { key: z.string(), value: z.int() })),
      ),
    );
    d.send(from, 'a', { c: 1 });
    expect(d.read(out)).toEqual([{ key: 'a', value: 11 }]);
    expect(d.read(topic('out-2', { key: z.string(), value: z.int() }))).toEqual([{ key: 'a', value: 6 }]);
  });

  test('a store keeps the value that was set, whatever becomes of the object later, and equally after a restart', () => {
    const sums = store('sums', { ...blob, codec: 'bytes' });
    const out = topic('out', { key: z.string(), value: z.int() });
    const made = pipeline(
      'p',
      stream(from)
        .process(sums, (_, state, { key }) => {
          const sum = state.get(key) ?? new Uint8Array(1);
          if (state.get(key) === undefined) state.set(key, sum);
          writable(sum)[0] = (sum[0] ?? 0) + 1;
          return [sum[0] ?? 0];
        })
        .to(out),
    );
    const [undisturbed, restarted] = [drive(made), drive(made)];
    for (let n = 0; n < 4; n++) {
      undisturbed.send(from, 'a', { c: n });
      restarted.send(from, 'a', { c: n });
      restarted.restart();
    }
    expect(undisturbed.read(out)).toEqual(restarted.read(out));
    expect(undisturbed.store(sums).get('a')).toEqual(Uint8Array.of(0));
  });

  test('a fold that overwrites its state has different values before and after', () => {
    const sums = store('sums', { ...blob, codec: 'bytes' });
    const steps = topic('steps', { key: z.string(), value: z.array(z.int()) });
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .fold(sums, {
            init: () => new Uint8Array(1),
            update: (sum) => {
              sum[0] = (sum[0] ?? 0) + 1;
              return sum;
            },
          })
          .changes()
          .map(({ before, after }) => [before?.[0] ?? -1, after?.[0] ?? -1])
          .to(steps),
      ),
    );
    for (let n = 0; n < 3; n++) d.send(from, 'a', { c: n });
    expect(d.read(steps).map(({ value }) => value)).toEqual([
      [-1, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  test('one object that init always returns is not shared by two keys', () => {
    const sums = store('sums', { ...blob, codec: 'bytes' });
    const shared = new Uint8Array(1);
    const d = drive(pipeline('p', stream(from).fold(sums, { init: () => shared, update: (sum) => ((sum[0] = (sum[0] ?? 0) + 1), sum) })));
    for (const key of ['a', 'b', 'a']) d.send(from, key, { c: 0 });
    expect(d.store(sums).range()).toEqual([
      ['a', Uint8Array.of(2)],
      ['b', Uint8Array.of(1)],
    ]);
    expect(shared).toEqual(Uint8Array.of(0));
  });
});

describe('a value that a handler keeps', () => {
  test('a record kept after the return still has its values', () => {
    const records: LogRecord<string, Counter>[] = [];
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .filter((_, record) => records.push(record) > 0)
          .to(to),
      ),
    );
    d.batch(() => [1, 2].forEach((c) => d.send(from, 'a', { c }, c)));
    d.send(from, 'b', { c: 3 }, 3);
    expect(records.map(({ key, value, timestamp, offset }) => [key, value, timestamp, offset])).toEqual([
      ['a', { c: 1 }, 1, 0n],
      ['a', { c: 2 }, 2, 1n],
      ['b', { c: 3 }, 3, 0n],
    ]);
  });

  test('the list of headers is no more writable than a value', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .filter((_, { headers }) => (headers as unknown[]).push('x') > 0)
          .to(to),
      ),
    );
    expect(() => d.send(from, 'a', { c: 1 })).toThrow(/given to filter\(…\) changed a value in place/);
  });

  test('an object can be changed after it was used as a key, and the store keeps the original key', () => {
    const Pair = z.object({ x: z.int() });
    const perPair = store('per-pair', { key: Pair, value: z.int() });
    const d = drive(
      pipeline(
        'p',
        stream(topic('pairs', { key: Pair, value: z.int() }))
          .process(perPair, (n, state, record) => {
            const key = { ...record.key };
            state.set(key, n);
            key.x = 99;
            return [n];
          })
          .to(topic('pairs-out', { key: Pair, value: z.int() })),
      ),
    );
    for (const x of [1, 2]) d.send(topic('pairs', { key: Pair, value: z.int() }), { x }, x);
    expect(d.store(perPair).range()).toEqual([
      [{ x: 1 }, 1],
      [{ x: 2 }, 2],
    ]);
  });
});
