/** source: reads the arrivals of a connector, records without partitions. */
import type { AnySource, StreamNode } from './node.ts';

export const source = (from: AnySource): StreamNode => ({
  kind: 'source',
  verb: 'source',
  yields: 'records',
  inputs: [],
  declares: { source: from.name },
  source: from,
});
