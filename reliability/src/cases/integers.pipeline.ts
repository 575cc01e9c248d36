/** O09 (a): integers of 64 bits through everything that a pipeline does with a value. */
import { compactedTopic, store, topic, type CompactedTopic, type Store, type Topic } from '@stoplog/core';
import { pipeline, stream, table, type Pipeline } from '@stoplog/runtime';
import { z } from 'zod';

const large = { key: z.string(), value: z.bigint(), partitions: 1, codec: { value: 'msgpack' } } as const;
interface Joined {
  readonly n: bigint;
  readonly other: bigint;
  readonly sum: bigint;
}
export const integers: Topic<string, bigint> = topic('integers', large);
export const others: CompactedTopic<string, bigint> = compactedTopic('others', large);
export const joined: Topic<string, Joined> = topic('joined', { ...large, value: z.object({ n: z.bigint(), other: z.bigint(), sum: z.bigint() }) });
export const numbered: Topic<bigint, bigint> = topic('numbered', { ...large, key: z.bigint(), codec: { key: 'msgpack', value: 'msgpack' } });
export const lasts: Store<string, bigint> = store('lasts', { key: z.string(), value: z.bigint(), codec: 'msgpack' });
export const inOrder: Store<bigint, bigint> = store('in-order', { key: z.bigint(), value: z.bigint(), codec: 'msgpack' });

const all = stream(integers);
const pipelineOfIntegers: Pipeline = pipeline(
  'integers',
  all.join(table(others), (n, other) => ({ n, other, sum: n + other })).to(joined),
  all.fold(lasts, { init: () => 0n, update: (_, n) => n }),
  stream(numbered).fold(inOrder, { init: () => 0n, update: (_, n) => n }),
);
export default pipelineOfIntegers;
