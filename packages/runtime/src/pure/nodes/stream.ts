/** stream: reads the records of a topic, as they were appended. */
import type { AnyTopic } from '@stoplog/core/kit';
import { targetFacts } from './declared.ts';
import type { StreamNode } from './node.ts';

export const stream = (topic: AnyTopic): StreamNode => ({
  kind: 'stream',
  verb: 'stream',
  yields: 'records',
  inputs: [],
  declares: { topic: targetFacts(topic) },
  reads: { topic, role: 'stream' },
});
