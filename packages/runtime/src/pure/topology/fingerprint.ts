/**
 * The fingerprint of a pipeline is a hash of its graph without the functions: what main and a thread must agree on
 * before a number can stand for a node.
 *
 * Two different bodies of one `map` have one fingerprint: they keep the same state in the same places. It is a check
 * against accidents, not against an adversary, so 48 bits of a plain hash do.
 */
import { hashText } from '../nodes/hash-text.ts';
import type { End, Node } from '../nodes/node.ts';

/** 12 hex digits. */
export const fingerprintOf = (name: string, nodes: readonly Node[], ends: readonly End[]): string => {
  const numbers = new Map<Node, number>(nodes.map((node, number) => [node, number]));
  const wires = (inputs: readonly Node[]): readonly number[] => inputs.map((input) => numbers.get(input) ?? -1);
  return hashText(
    canonical({
      name,
      nodes: nodes.map(({ kind, inputs, declares }) => ({ kind, inputs: wires(inputs), ...declares })),
      ends: wires(ends),
    }),
  );
};

/** JSON with the names of every object in order, so that equal shapes are equal text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
