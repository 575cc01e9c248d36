/**
 * The fingerprint of a pipeline is a hash of its graph without the functions: what main and a thread must agree on
 * before a number can stand for a node.
 *
 * Two different bodies of one `map` have one fingerprint: they keep the same state in the same places. It is a check
 * against accidents, not against an adversary, so 48 bits of a plain hash do.
 */
import { inputsOf, type AnyTarget, type End, type Node } from './graph.ts';

/** 12 hex digits. */
export const fingerprintOf = (name: string, nodes: readonly Node[], ends: readonly End[]): string => {
  const numbers = new Map<Node, number>(nodes.map((node, number) => [node, number]));
  const wires = (inputs: readonly Node[]): readonly number[] => inputs.map((input) => numbers.get(input) ?? -1);
  return hashText(
    canonical({
      name,
      nodes: nodes.map((node) => ({ kind: node.kind, inputs: wires(inputsOf(node)), ...declaredIn(node) })),
      ends: wires(ends),
    }),
  );
};

/** What a node declares besides its functions. */
const declaredIn = (node: Node): object => {
  switch (node.kind) {
    case 'stream':
    case 'table':
    case 'through':
      return { topic: shapeOf(node.topic) };
    case 'source':
      return { source: node.source.name };
    case 'to':
    case 'table-to':
      return { target: shapeOf(node.target) };
    case 'join':
      return { left: node.left };
    case 'fold':
      return { verb: node.verb, store: storeOf(node.store) };
    case 'process':
      return { store: storeOf(node.store) };
    default:
      return {};
  }
};

const shapeOf = (target: AnyTarget): object => (target.kind === 'sink' ? { sink: target.name } : { topic: target.shape });
const storeOf = ({ name, version, fingerprint }: { name: string; version: number; fingerprint: string }): object => ({ name, version, fingerprint });

/** JSON with the names of every object in order, so that equal shapes are equal text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** Two 32-bit lanes of multiply and fold, finished as murmur3 does, and cut to 48 bits. */
export const hashText = (text: string): string => {
  let [a, b] = [0x9e3779b9, 0x85ebca6b];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
    a ^= a >>> 15;
    b ^= b >>> 13;
  }
  return (
    mix(a ^ Math.imul(b, 0x27d4eb2f))
      .toString(16)
      .padStart(8, '0') +
    mix(b ^ a)
      .toString(16)
      .padStart(8, '0')
  ).slice(0, 12);
};

const mix = (h: number): number => {
  let x = h;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
};
