/** to: writes every record to a topic or a sink, and ends the path. */
import { targetFacts } from './declared.ts';
import type { AnyTarget, EndNode, StreamNode } from './node.ts';

export const to = (input: StreamNode, target: AnyTarget): EndNode => ({
  kind: 'to',
  verb: 'to',
  yields: 'nothing',
  inputs: [input],
  declares: { target: targetFacts(target) },
  writes: target,
  compile: (task) => {
    const output = target.kind === 'sink' ? task.sink(target) : task.output(target);
    task.onRecord(input, (record) => output.record(record));
  },
});
