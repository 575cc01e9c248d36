/**
 * Numbers the nodes behind the ends of a pipeline: a function cannot be sent to a thread, and its node's number is sent instead.
 *
 * Nodes are numbered by walking back from the ends, inputs before the node itself, ends in their declared order. So the same module gives
 * the same numbers in every thread. Numbers are never persisted: state is found by the names of topics and stores.
 */
import type { Node } from '../nodes/node.ts';

/** Every node behind the ends, inputs first; its index is its number. */
export const numberNodes = (ends: readonly Node[]): readonly Node[] => {
  const seen = new Set<Node>();
  const visit = (root: Node): void => {
    // An explicit stack, because a chain of ten thousand verbs would overflow the call stack.
    const stack: { readonly node: Node; entered: boolean }[] = [{ node: root, entered: false }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (seen.has(top.node)) stack.pop();
      else if (top.entered) {
        seen.add(top.node);
        stack.pop();
      } else {
        top.entered = true;
        for (const input of top.node.inputs.toReversed()) if (!seen.has(input)) stack.push({ node: input, entered: false });
      }
    }
  };
  for (const end of ends) visit(end);
  return [...seen];
};
