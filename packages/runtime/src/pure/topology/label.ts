/** How a node is called in drawings and errors: by its verb, and where it lies by the topic it comes from. */
import { inputsOf, type Node } from './graph.ts';

/** The verb as it is written in a pipeline. */
export const verbOf = (node: Node): string => {
  switch (node.kind) {
    case 'flat-map':
      return 'flatMap';
    case 'through':
      return 'rekey';
    case 'join':
      return node.left ? 'leftJoin' : 'join';
    case 'fold':
      return node.verb;
    case 'table-map':
      return 'map';
    case 'table-filter':
      return 'filter';
    case 'table-to':
      return 'to';
    default:
      return node.kind;
  }
};

/** The name of the topic or source a node's records come from, along its first inputs. */
export const originOf = (node: Node): string => {
  let at = node;
  for (let [up] = inputsOf(at); up !== undefined && at.kind !== 'through'; [up] = inputsOf(at)) at = up;
  return at.kind === 'source' ? at.source.name : at.kind === 'stream' || at.kind === 'table' || at.kind === 'through' ? at.topic.name : '';
};

/** `count of 'orders' (node 3)` */
export const placeOf = (node: Node, number: number): string => `${verbOf(node)} of '${originOf(inputsOf(node)[0] ?? node)}' (node ${number})`;

/** Names of topics and stores are plain; a connector may call its source or sink anything, also an escape sequence. */
export const printable = (name: string): string => name.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
