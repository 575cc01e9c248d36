/** F22: keys of 100 KB through a count, a table, a join and a rekey. */
import { compactedTopic, store, topic, type CompactedTopic, type Store, type Topic } from '@stoplog/core';
import { pipeline, stream, table, type Pipeline } from '@stoplog/runtime';
import { z } from 'zod';

const text = { key: z.string(), value: z.string(), partitions: 2 } as const;
export const visits: Topic<string, string> = topic('visits', text);
export const names: CompactedTopic<string, string> = compactedTopic('names', text);
export const named: Topic<string, string> = topic('named', text);
export const counts: Store<string, number> = store('counts', { key: z.string(), value: z.number() });

const pipelineOfLongKeys: Pipeline = pipeline(
  'long-keys',
  stream(visits)
    .join(table(names), (visit, name) => `${visit} by ${name}`)
    .to(named),
  stream(visits).fold(counts, { init: () => 0, update: (n) => n + 1 }),
);
export default pipelineOfLongKeys;
