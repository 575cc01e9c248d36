import { compactedTopic, isStoplogError, store, topic, type CompactedTopic, type Source, type StoplogError, type Topic } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { source } from '../pipeline/arrivals.ts';
import type { Flow } from '../pipeline/flow.ts';
import { pipeline, type Pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { table } from '../pipeline/table.ts';
import { planOf } from './plan.ts';

const text = { key: z.string(), value: z.string() };
const number = { key: z.string(), value: z.int() };
const plain = (name: string, partitions = 4): Topic<string, string> => topic(name, { ...text, partitions });
const compacted = (name: string, partitions = 4): CompactedTopic<string, string> => compactedTopic(name, { ...text, partitions });

const refusal = (made: () => Pipeline): StoplogError => {
  try {
    planOf(made());
  } catch (error) {
    if (isStoplogError(error) && error.code === 'STOPLOG_TOPOLOGY') return error;
    throw error;
  }
  throw new Error('it was planned');
};

describe('co-partitioning', () => {
  const orders = plain('orders', 8);

  test('a join of unequal counts is refused with both ways out', () => {
    const error = refusal(() =>
      pipeline(
        'p',
        stream(orders)
          .map((order) => order)
          .join(table(compacted('customers')), (order) => order)
          .to(plain('out')),
      ),
    );
    expect(error.message).toBe(
      "cannot join 'orders' (8 partitions) with 'customers' (4 partitions): equal keys would live in different partitions. " +
        'Declare both topics with the same number of partitions, or send one side through a topic with 4: .rekey((_, r) => r.key).through(...)',
    );
    expect(error.facts).toEqual({ node: 3, topics: ['orders', 'customers'], partitions: [8, 4] });
  });

  test('a merge of unequal counts, and a join with a fold of another count, are refused', () => {
    expect(
      refusal(() =>
        pipeline(
          'p',
          stream(orders)
            .merge(stream(plain('more', 1)))
            .to(plain('out')),
        ),
      ).message,
    ).toMatch(/^cannot merge 'orders' \(8 partitions\) with 'more' \(1 partition\)/);
    expect(
      refusal(() =>
        pipeline(
          'p',
          stream(orders)
            .leftJoin(stream(plain('more')).count(store('n', number)), (order) => order)
            .to(plain('out')),
        ),
      ).message,
    ).toMatch(/^cannot join 'orders' \(8 partitions\) with 'more' \(4 partitions\)/);
  });

  test('the remedy that the error names works', () => {
    const sent = stream(orders)
      .rekey((_, record) => record.key)
      .through(plain('narrow', 4));
    expect(planOf(pipeline('p', sent.join(table(compacted('customers')), (order) => order).to(plain('out', 3)))).tasks).toHaveLength(2);
  });

  test('keys of another codec have other bytes and are refused', () => {
    const customers = compactedTopic('customers', { ...text, codec: { key: 'string' } });
    expect(
      refusal(() =>
        pipeline(
          'p',
          stream(plain('orders'))
            .join(table(customers), (order) => order)
            .to(plain('out')),
        ),
      ).message,
    ).toMatch(/^cannot join 'orders' \(keys as json\) with 'customers' \(keys as string\): equal keys would be different bytes/);
  });
});

describe('owners', () => {
  test('a store given to two verbs is refused, naming both', () => {
    const n = store('n', number);
    const error = refusal(() => pipeline('p', stream(plain('a')).count(n), stream(plain('b')).fold(n, { init: () => 0, update: (sum) => sum })));
    expect(error.message).toBe(
      "store 'n' is given to two verbs, count of 'a' (node 1) and fold of 'b' (node 3), and each would overwrite the other's state: declare a second store",
    );
    expect(error.facts).toEqual({ node: 3, store: 'n', owner: 1 });
  });

  test('two stores of one name, and one fold declared twice, are refused', () => {
    const twice = (): Pipeline => pipeline('p', stream(plain('a')).count(store('n', number)), stream(plain('a')).count(store('n', { ...number, version: 2 })));
    expect(refusal(twice).message).toMatch(/or use the table that the first one makes in both places$/);
  });

  test('one table in two places has one owner', () => {
    const counts = stream(plain('a')).count(store('n', number));
    expect(() =>
      planOf(
        pipeline(
          'p',
          counts,
          counts.to(compactedTopic('out', number)),
          counts
            .changes()
            .map(() => '')
            .to(plain('log')),
        ),
      ),
    ).not.toThrow();
  });

  test('two sources of one name are refused', () => {
    const ticks = (): Source<string, string> => ({ kind: 'source', name: 'ticks', open: () => Promise.reject(new Error('never')) });
    const path = (name: string): Flow =>
      source(ticks())
        .rekey((tick) => tick)
        .through(plain(name))
        .to(plain('out'));
    expect(() => planOf(pipeline('p', path('x')))).not.toThrow();
    expect(refusal(() => pipeline('p', path('x'), path('y'))).message).toMatch(/^two sources are named 'ticks'/);
  });
});

describe('topics', () => {
  test('one name with two shapes is refused, saying what differs', () => {
    expect(refusal(() => pipeline('p', stream(plain('a')).to(plain('b')), stream(plain('b', 8)).to(plain('c')))).message).toBe(
      "topic 'b' is declared twice in this pipeline, and the declarations differ (partitions: 4 and 8): declare it once and import it where it is needed",
    );
    expect(refusal(() => pipeline('p', stream(plain('a')).to(plain('b')), stream(topic('b', number)).to(topic('c', number)))).message).toMatch(
      /\(the schema of its value\)/,
    );
    expect(
      refusal(() =>
        pipeline(
          'p',
          table(compacted('a'))
            .changes()
            .map(() => '')
            .to(plain('b')),
          stream(plain('a')).to(plain('c')),
        ),
      ).facts['differing'],
    ).toEqual(['cleanup: compact and delete']);
  });

  test('one name with one shape may be declared twice', () => {
    expect(planOf(pipeline('p', stream(plain('a')).to(plain('b')), stream(plain('b')).to(plain('c')))).topics).toHaveLength(3);
  });

  test('two rekeys through one topic are refused, since each would read the records of both', () => {
    const meet = plain('meet');
    expect(
      refusal(() =>
        pipeline(
          'p',
          stream(plain('a'))
            .rekey((v) => v)
            .through(meet)
            .merge(
              stream(plain('b'))
                .rekey((v) => v)
                .through(meet),
            )
            .to(plain('out')),
        ),
      ).message,
    ).toMatch(/^two rekeys \(nodes 1 and 3\) go through topic 'meet'/);
  });
});

describe('cycles', () => {
  test('a stream written to its own topic is refused', () => {
    const error = refusal(() =>
      pipeline(
        'p',
        stream(plain('a'))
          .map((v) => v)
          .to(plain('a')),
      ),
    );
    expect(error.message).toBe(
      "this pipeline reads its own output: 'a' → 'a', closed by to of 'a' (node 2). A record could go round for ever. " +
        "Write to a topic that nothing before it reads, or read 'a' in a second pipeline",
    );
    expect(error.facts).toEqual({ node: 2, topics: ['a', 'a'] });
  });

  test('a loop through several topics is refused, however it is declared', () => {
    const [a, b, c] = [plain('a'), plain('b'), plain('c')];
    expect(
      refusal(() =>
        pipeline(
          'p',
          stream(plain('x')).to(a),
          stream(c).to(a),
          stream(a)
            .rekey((v) => v)
            .through(b)
            .to(c),
        ),
      ).facts['topics'],
    ).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    expect(
      refusal(() =>
        pipeline(
          'p',
          stream(a)
            .rekey((v) => v)
            .through(a)
            .to(b),
        ),
      ).facts['topics'],
    ).toEqual(['a', 'a']);
    expect(
      refusal(() =>
        pipeline(
          'p',
          table(compacted('t'))
            .map((v) => v)
            .to(compacted('t')),
        ),
      ).facts['topics'],
    ).toEqual(['t', 't']);
  });

  test('a topic merged with a stream that was made of it closes a loop too: both would share a task', () => {
    const lines = stream(plain('a'));
    expect(
      refusal(() =>
        pipeline(
          'p',
          lines
            .rekey((v) => v)
            .through(plain('b'))
            .merge(lines)
            .to(plain('c')),
        ),
      ).facts['topics'],
    ).toEqual(['b', 'b']);
  });

  test('a diamond is no loop', () => {
    const [a, b, c, d] = [plain('a'), plain('b'), plain('c'), plain('d')];
    expect(() => planOf(pipeline('p', stream(a).to(b), stream(a).to(c), stream(b).to(d), stream(c).to(d), stream(d).count(store('n', number))))).not.toThrow();
  });
});

describe('ends', () => {
  test('a pipeline without ends is refused', () => {
    expect(refusal(() => pipeline('p')).message).toMatch(/^pipeline 'p' has no ends.*give it some/);
  });

  test('one end twice, or the same records twice to one topic, is refused', () => {
    const lines = stream(plain('a'));
    const end = lines.to(plain('b'));
    expect(refusal(() => pipeline('p', end, end)).message).toBe("end 2 of pipeline 'p' is end 1 again: name every end once");
    expect(refusal(() => pipeline('p', end, lines.to(plain('c')), lines.to(plain('b')))).message).toMatch(
      /^ends 1 and 3 of pipeline 'p' write the same records to 'b'/,
    );
  });

  test('a table that is not kept is refused, and a fold is an end', () => {
    expect(refusal(() => pipeline('p', table(compacted('a')))).message).toMatch(/is a table that is not kept: write it with \.to/);
    expect(
      refusal(() =>
        pipeline(
          'p',
          stream(plain('a'))
            .count(store('n', number))
            .map((n) => n),
        ),
      ).facts,
    ).toEqual({ pipeline: 'p', end: 1 });
    expect(() => planOf(pipeline('p', stream(plain('a')).count(store('n', number))))).not.toThrow();
  });

  test('a name that a connector chose is checked as any other', () => {
    const path = stream(plain('a')).to({ kind: 'sink', name: 'a b', open: () => Promise.reject(new Error('never opened')) });
    expect(() => planOf(pipeline('p', path))).toThrow(expect.objectContaining({ code: 'STOPLOG_NAME' }));
  });

  test('a value that is no pipeline is refused', () => {
    expect(() => planOf({ kind: 'pipeline', name: 'p', ends: [] })).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE' }));
  });
});
