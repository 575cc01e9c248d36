/** to of a table: writes the latest value of each changed key, once a commit, to a compacted topic or a sink. */
import { targetFacts } from './declared.ts';
import type { AnyTarget, EndNode, TableNode } from './node.ts';

export const tableTo = (input: TableNode, target: AnyTarget): EndNode => ({
  kind: 'table-to',
  verb: 'to',
  yields: 'nothing',
  inputs: [input],
  declares: { target: targetFacts(target) },
  writes: target,
  compile: (task) => {
    const output = target.kind === 'sink' ? task.sink(target) : task.output(target);
    task.onChange(input, (record, _before, after) => output.latest(record.key, after, record));
  },
});
