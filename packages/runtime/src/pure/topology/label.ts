/** The label of a node in errors and drawings: its verb, and the topic or source of its records. */
import type { Node } from '../nodes/node.ts';

/** The name of the topic or source of a node's records, found along its first inputs. */
const originOf = (node: Node): string => {
  let at = node;
  for (let [up] = at.inputs; up !== undefined && at.reads === undefined; [up] = at.inputs) at = up;
  return at.source?.name ?? at.reads?.topic.name ?? '';
};

/** `count of 'orders' (node 3)` */
export const placeOf = (node: Node, number: number): string => `${node.verb} of '${originOf(node.inputs[0] ?? node)}' (node ${number})`;

/**
 * Escapes other characters: names of topics and stores are plain, but a connector may choose any name for its source or sink, even an
 * escape sequence.
 */
export const printable = (name: string): string => name.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
