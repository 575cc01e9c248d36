/** merge: makes one stream of the records of two. */
import type { StreamNode } from './node.ts';

export const merge = (left: StreamNode, right: StreamNode): StreamNode => ({
  kind: 'merge',
  verb: 'merge',
  yields: 'records',
  inputs: [left, right],
  declares: {},
  meeting: 'merge',
  compile: (task, emit) => {
    task.onRecord(right, emit);
    task.onRecord(left, emit);
  },
});
