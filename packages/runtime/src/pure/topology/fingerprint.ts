/**
 * The fingerprint of a pipeline is a hash of its graph without the functions. The main thread and a worker compare fingerprints before a
 * number can stand for a node.
 *
 * Two different bodies of one `map` have one fingerprint: they keep the same state under the same names. The fingerprint guards against
 * accidents, not against an adversary, so 48 bits of a plain hash suffice.
 */
import { canonicalJson } from '@stoplog/core/kit';
import { hashText } from '../nodes/hash-text.ts';
import type { Node } from '../nodes/node.ts';

/** 12 hex digits. */
export const fingerprintOf = (name: string, nodes: readonly Node[], ends: readonly Node[]): string => {
  const numbers = new Map<Node, number>(nodes.map((node, number) => [node, number]));
  const wires = (inputs: readonly Node[]): readonly number[] => inputs.map((input) => numbers.get(input) ?? -1);
  return hashText(
    canonicalJson({
      name,
      nodes: nodes.map(({ kind, inputs, declares }) => ({ kind, inputs: wires(inputs), ...declares })),
      ends: wires(ends),
    }),
  );
};
