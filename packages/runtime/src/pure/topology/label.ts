/** What errors and drawings call a node: its verb, and the topic or source its records come from. */
import type { Node } from '../nodes/node.ts';

/** The name of the topic or source a node's records come from, along its first inputs. */
const originOf = (node: Node): string => {
  let at = node;
  for (let [up] = at.inputs; up !== undefined && at.reads === undefined; [up] = at.inputs) at = up;
  return at.source?.name ?? at.reads?.topic.name ?? '';
};

/** `count of 'orders' (node 3)` */
export const placeOf = (node: Node, number: number): string => `${node.verb} of '${originOf(node.inputs[0] ?? node)}' (node ${number})`;

/** Names of topics and stores are plain; a connector may call its source or sink anything, also an escape sequence. */
export const printable = (name: string): string => name.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
