/** O02: a table over a topic with deletions and empty values, and its contents. */
import { compactedTopic, seconds, type CompactedTopic } from '@stoplog/core';
import { pipeline, table, type Pipeline } from '@stoplog/runtime';
import { z } from 'zod';

const spec = { key: z.string(), value: z.string(), partitions: 1, codec: { key: 'string', value: 'string' } } as const;
export const marked: CompactedTopic<string, string> = compactedTopic('marked', { ...spec, deleteRetention: seconds(0) });
export const shown: CompactedTopic<string, string> = compactedTopic('shown', spec);

const forgotten: Pipeline = pipeline('forgotten', table(marked).to(shown));
export default forgotten;
