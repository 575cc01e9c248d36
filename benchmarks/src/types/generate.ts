/**
 * Writes a pipeline of N verbs as TypeScript, to measure the compiler on it.
 *
 * The text is like a user's: branded keys, object values that grow from verb to verb, a topic now and then, tables joined,
 * stores folded. The generated file imports the packages by name and this file imports none of them, so only the compiler's
 * time is measured.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Verbs in the order in which they alternate; each gets the number of its turn. */
const VERBS: readonly ((turn: number) => string)[] = [
  (n) => `.map((order) => ({ ...order, cents: order.cents + ${n} }))`,
  (n) => `.filter((order, { timestamp }) => order.cents > ${n} && timestamp >= 0)`,
  () => `.join(table(customers), (order, customer) => ({ ...order, name: customer.name }))`,
  (n) => `.flatMap((order) => order.tags.map((tag) => ({ ...order, tags: [tag, '${n}'] })))`,
  () => `.leftJoin(table(customers), (order, customer) => ({ ...order, name: customer?.name ?? order.name }))`,
  () => `.filter((order): order is typeof order & { name: string } => order.name.length > 0)`,
  (n) => `.process(store('seen-${n}', { key: CustomerId, value: z.int() }), (order, state, { key }) => (state.get(key) === undefined ? [order] : []))`,
  () => `.merge(stream(more))`,
  (n) => `.rekey((order) => order.customerId).through(topic('hop-${n}', { key: CustomerId, value: Order }))`,
  () => `.map((order, { key }) => ({ ...order, customerId: key }))`,
];

/** The source text of a pipeline of `verbs` verbs in one chain, ended by a fold. */
export const generatePipeline = (verbs: number): string => {
  const chain = Array.from({ length: Math.max(0, verbs - 2) }, (_, turn) => `  ${VERBS[turn % VERBS.length]?.(turn) ?? ''}`);
  return `import { compactedTopic, store, topic } from '@stoplog/core';
import { pipeline, stream, table } from '@stoplog/runtime';
import { z } from 'zod';

const OrderId = z.string().brand<'OrderId'>();
const CustomerId = z.string().brand<'CustomerId'>();
const Order = z.object({ id: OrderId, customerId: CustomerId, cents: z.int(), name: z.string(), tags: z.array(z.string()) });
const Customer = z.object({ name: z.string(), country: z.string().length(2) });

const orders = topic('orders', { key: CustomerId, value: Order });
const more = topic('more-orders', { key: CustomerId, value: Order });
const customers = compactedTopic('customers', { key: CustomerId, value: Customer });
const totals = compactedTopic('totals', { key: CustomerId, value: z.int() });

export const generated = stream(orders)
${chain.join('\n')}
  .fold(store('total', { key: CustomerId, value: z.int() }), { init: () => 0, update: (sum, order) => sum + order.cents })
  .to(totals);

export default pipeline('generated-${verbs}', generated);
`;
};

/** Writes the source text to a path where the compiler finds it. */
export const writePipeline = (path: string, verbs: number): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, generatePipeline(verbs));
};
