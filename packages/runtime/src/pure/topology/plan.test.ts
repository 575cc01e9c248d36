import { compactedTopic, store, topic, type Sink, type Source } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { source } from '../pipeline/arrivals.ts';
import { pipeline, type Pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { table } from '../pipeline/table.ts';
import { drawText } from './draw.ts';
import { planOf, type Plan } from './plan.ts';

const text = { key: z.string(), value: z.string() };
const number = { key: z.string(), value: z.int() };

const wordCount = (): Pipeline => {
  const words = topic('words', text);
  return pipeline(
    'word-count',
    stream(topic('lines', text))
      .flatMap((line) => line.toLowerCase().match(/\p{L}+/gu) ?? [])
      .rekey((word) => word)
      .through(words)
      .count(store('count-by-word', number))
      .to(compactedTopic('word-counts', number)),
  );
};

const OrderId = z.string().brand<'OrderId'>();
const CustomerId = z.string().brand<'CustomerId'>();
const Country = z.string().length(2).brand<'Country'>();
const Order = z.object({ id: OrderId, customerId: CustomerId, cents: z.int().positive() });
const Customer = z.object({ name: z.string(), country: Country });
const EnrichedOrder = Order.extend({ customer: Customer });

const enrichOrders = (): Pipeline => {
  const enriched = stream(topic('orders', { key: OrderId, value: Order }))
    .rekey((order) => order.customerId)
    .through(topic('orders-by-customer', { key: CustomerId, value: Order }))
    .join(table(compactedTopic('customers', { key: CustomerId, value: Customer })), (order, customer) => ({ ...order, customer }));
  const totals = enriched
    .rekey((order) => order.customer.country)
    .through(topic('orders-by-country', { key: Country, value: EnrichedOrder }))
    .fold(store('total-by-country', { key: Country, value: z.int() }), { init: () => 0, update: (sum, order) => sum + order.cents });
  return pipeline(
    'enrich-orders',
    enriched.to(topic('enriched-orders', { key: CustomerId, value: EnrichedOrder })),
    totals.to(compactedTopic('country-totals', { key: Country, value: z.int() })),
  );
};

/** The plan in names instead of objects, for comparing. */
const inWords = (plan: Plan): object[] =>
  plan.tasks.map(({ nodes, inputs, partitions, stores, outputs, source: from }) => ({
    verbs: nodes.map(({ verb }) => verb).join(' '),
    inputs: inputs.map(({ topic: { name }, role }) => `${role} ${name}`),
    partitions,
    stores: stores.map(({ name }) => name),
    outputs: outputs.map(({ name }) => name),
    ...(from && { source: from.name }),
  }));

describe('planOf', () => {
  test('a plan cuts word-count at the topic between rekey and count', () => {
    const plan = planOf(wordCount());
    expect(inWords(plan)).toEqual([
      { verbs: 'stream flatMap rekey', inputs: ['stream lines'], partitions: 4, stores: [], outputs: ['words'] },
      { verbs: 'rekey count to', inputs: ['through words'], partitions: 4, stores: ['count-by-word'], outputs: ['word-counts'] },
    ]);
    expect(plan.tasks.map(({ id }) => id)).toEqual([0, 1]);
    expect(plan.topics.map(({ name }) => name)).toEqual(['lines', 'words', 'word-counts']);
    expect(plan.fingerprint).toMatch(/^[0-9a-f]{12}$/);
  });

  test('a plan cuts enrich-orders into three tasks, with the joined table beside its stream', () => {
    expect(inWords(planOf(enrichOrders()))).toEqual([
      { verbs: 'stream rekey', inputs: ['stream orders'], partitions: 4, stores: [], outputs: ['orders-by-customer'] },
      {
        verbs: 'rekey table join to rekey',
        inputs: ['table customers', 'through orders-by-customer'],
        partitions: 4,
        stores: ['table:customers'],
        outputs: ['enriched-orders', 'orders-by-country'],
      },
      { verbs: 'rekey fold to', inputs: ['through orders-by-country'], partitions: 4, stores: ['total-by-country'], outputs: ['country-totals'] },
    ]);
  });

  test('the same module gives the same numbers, whatever was declared before', () => {
    stream(topic('noise', text)).map((line) => line);
    const [here, there] = [planOf(enrichOrders()), planOf(enrichOrders())];
    expect(here.nodes.map(({ kind }) => kind)).toEqual(['stream', 'through', 'table', 'join', 'to', 'through', 'fold', 'table-to']);
    expect(there.nodes.map(({ kind }) => kind)).toEqual(here.nodes.map(({ kind }) => kind));
    expect(there.fingerprint).toBe(here.fingerprint);
  });

  test('all readers of one topic are in one task, so that the topic has one position', () => {
    const lines = topic('lines', text);
    const plan = planOf(
      pipeline(
        'twice',
        stream(lines).count(store('a', number)),
        stream(topic('others', text)).count(store('b', number)),
        stream(lines)
          .map((line) => line.length)
          .to(topic('lengths', number)),
      ),
    );
    expect(inWords(plan)).toEqual([
      { verbs: 'stream count stream map to', inputs: ['stream lines'], partitions: 4, stores: ['a'], outputs: ['lengths'] },
      { verbs: 'stream count', inputs: ['stream others'], partitions: 4, stores: ['b'], outputs: [] },
    ]);
  });

  test('tasks also meet in a topic that is written and read by name', () => {
    const middle = topic('middle', text);
    const plan = planOf(pipeline('chain', stream(middle).count(store('n', number)), stream(topic('lines', text)).to(middle)));
    expect(inWords(plan)).toEqual([
      { verbs: 'stream count', inputs: ['stream middle'], partitions: 4, stores: ['n'], outputs: [] },
      { verbs: 'stream to', inputs: ['stream lines'], partitions: 4, stores: [], outputs: ['middle'] },
    ]);
  });

  test('a source has one actor and no positions, and a sink is no topic', () => {
    const ticks: Source<string, string> = { kind: 'source', name: 'ticks', open: () => Promise.reject(new Error('never opened')) };
    const page: Sink<string, string> = { kind: 'sink', name: 'page', open: () => Promise.reject(new Error('never opened')) };
    const plan = planOf(
      pipeline(
        'edges',
        source(ticks)
          .rekey((tick) => tick)
          .through(topic('by-tick', { ...text, partitions: 7 }))
          .to(page),
      ),
    );
    expect(inWords(plan)).toEqual([
      { verbs: 'source rekey', inputs: [], partitions: 1, stores: [], outputs: ['by-tick'], source: 'ticks' },
      { verbs: 'rekey to', inputs: ['through by-tick'], partitions: 7, stores: [], outputs: [] },
    ]);
    expect(plan.tasks[0]?.source).toBe(ticks);
  });

  test('a table that is joined in two places is kept once', () => {
    const names = table(compactedTopic('names', text));
    const lines = stream(topic('lines', text));
    const [task] = planOf(
      pipeline(
        'names',
        lines
          .join(names, (line, name) => line + name)
          .leftJoin(table(compactedTopic('names', text)), (line) => line)
          .to(topic('out', text)),
      ),
    ).tasks;
    expect(task?.stores.map(({ name, table: of }) => [name, of?.name])).toEqual([['table:names', 'names']]);
  });
});

describe('ten thousand verbs', () => {
  test('ten thousand verbs in a row are planned and drawn without overflowing the stack', () => {
    let path = stream(topic('lines', text));
    for (let i = 0; i < 10_000; i++) path = path.map((line) => line);
    const plan = planOf(pipeline('long', path.to(topic('out', text))));
    expect(plan.nodes).toHaveLength(10_002);
    expect(drawText(plan)).toContain('─ map ─▶ out');
  });

  test('a thousand topics in a row are planned without overflowing the stack', () => {
    let path = stream(topic('t', text));
    for (let i = 0; i < 1_000; i++) path = path.rekey((line) => line).through(topic(`t${i}`, text));
    expect(planOf(pipeline('long', path.to(topic('out', text)))).tasks).toHaveLength(1_001);
  });
});

const drawn = (made: Pipeline): string[] => drawText(planOf(made)).split('\n').slice(2);

describe('drawText', () => {
  test('enrich-orders is drawn as the design shows it', () => {
    const plan = planOf(enrichOrders());
    expect(drawText(plan)).toBe(`\
enrich-orders  ${plan.fingerprint}

  task 0   orders ─ rekey ─▶ orders-by-customer
  task 1   orders-by-customer ─ join customers ─┬▶ enriched-orders
                                                └ rekey ─▶ orders-by-country
  task 2   orders-by-country ─ fold total-by-country ─▶ country-totals

  3 tasks × 4 partitions = 12 actors · 1 store · nothing to repartition that is not named above
`);
  });

  test('the lines of a branch within a branch are drawn apart', () => {
    const lines = stream(topic('lines', text));
    const long = lines.filter((line) => line.length > 80);
    expect(
      drawn(
        pipeline(
          'tree',
          long.to(topic('long', text)),
          long.map((line) => line.length).to(topic('lengths', number)),
          lines.flatMap((line) => [line]).count(store('n', number)),
          lines.to(topic('copies', text)),
        ),
      ).slice(0, 4),
    ).toEqual([
      '  task 0   lines ─┬ filter ─┬▶ long',
      '                  │         └ map ─▶ lengths',
      '                  ├ flatMap ─ count n',
      '                  └▶ copies',
    ]);
  });

  test('a side that is more than a topic has its own line, which ends at the number of the node it joins', () => {
    const lines = stream(topic('lines', text));
    const counts = lines.count(store('n', number));
    const names = table(compactedTopic('names', text));
    expect(
      drawn(
        pipeline(
          'sides',
          lines
            .merge(stream(topic('more', text)))
            .join(counts, (line, n) => line + String(n))
            .leftJoin(
              names.map((name) => name),
              (line) => line,
            )
            .to(topic('out', text)),
          names
            .changes()
            .map(() => 'changed')
            .merge(stream(topic('other', text)).filter(() => true))
            .to(topic('log', text)),
        ),
      ).slice(0, 5),
    ).toEqual([
      '  task 0   lines ─┬ merge more ─ join 4 ─ leftJoin 7 ─▶ out',
      '                  └ count n ─▶ join 4',
      '           names ─┬ map ─▶ leftJoin 7',
      '                  └ changes ─ map ─ merge 13 ─▶ log',
      '           other ─ filter ─▶ merge 13',
    ]);
  });

  test('the last line counts actors where partitions differ, and uses the singular for one', () => {
    const wide = stream(topic('lines', { ...text, partitions: 8 }))
      .rekey((line) => line)
      .through(topic('narrow', { ...text, partitions: 1 }));
    expect(drawn(pipeline('sizes', wide.to(topic('out', text)))).at(-2)).toBe(
      '  2 tasks with 8 + 1 partitions = 9 actors · 0 stores · nothing to repartition that is not named above',
    );
    const one = stream(topic('narrow', { ...text, partitions: 1 })).count(store('n', number));
    expect(drawn(pipeline('one', one)).at(-2)).toBe('  1 task × 1 partition = 1 actor · 1 store · nothing to repartition that is not named above');
  });
});
