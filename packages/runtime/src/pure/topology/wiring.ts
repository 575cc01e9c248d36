/**
 * Cuts a graph at its topics: the nodes between two topics run together, as one task.
 *
 * Nodes share a task when a record passes from one to the other without a topic in between, and when they read the same topic: a topic is
 * read by one task, so that each partition has one position. A `through` is on the cut and counts twice: its writing half ends the task
 * before, its reading half starts the task after.
 */
import type { AnyTopic } from '@stoplog/core/kit';
import type { Node } from '../nodes/node.ts';

/** The topic that a node appends to; a `through` writes with its first half. */
export const writtenTopic = ({ writes }: Node): AnyTopic | undefined => (writes === undefined || writes.kind === 'sink' ? undefined : writes);

/** The node reads a topic behind its inputs: it ends one task and starts another. */
const isCut = (node: Node): boolean => node.reads !== undefined && node.inputs.length > 0;

/** The nodes of one task, by number. */
export interface Cut {
  /** Every node that runs here, in order; a `through` is in two cuts. */
  readonly nodes: readonly number[];
  /** The nodes that read a topic or a source here. */
  readonly readers: readonly number[];
  /** The nodes that append to a topic or a sink here. */
  readonly writers: readonly number[];
}

/** Cuts in the order of their first nodes: the task that feeds a `through` comes before the task that reads it. */
export const cutAtTopics = (nodes: readonly Node[]): readonly Cut[] => {
  const numbers = new Map(nodes.map((node, number) => [node, number]));
  const numberOf = (node: Node): number => numbers.get(node) ?? -1;
  // Two slots for each node: 2n is the node's inputs, 2n + 1 its outputs. Only a cut keeps them apart.
  const sets = disjointSets(nodes.length * 2);
  const readers = new Map<string, number>();
  nodes.forEach((node, number) => {
    if (!isCut(node)) sets.unite(number * 2, number * 2 + 1);
    for (const input of node.inputs) sets.unite(number * 2, numberOf(input) * 2 + 1);
    const read = node.reads?.topic ?? node.source;
    if (read === undefined) return;
    const name = `${node.source === undefined ? 'topic' : 'source'} ${read.name}`;
    const first = readers.get(name);
    if (first === undefined) readers.set(name, number * 2 + 1);
    else sets.unite(first, number * 2 + 1);
  });

  const cuts = new Map<number, { nodes: Set<number>; readers: number[]; writers: number[] }>();
  const cutAt = (slot: number): { nodes: Set<number>; readers: number[]; writers: number[] } => {
    const root = sets.find(slot);
    const cut = cuts.get(root) ?? { nodes: new Set(), readers: [], writers: [] };
    cuts.set(root, cut);
    return cut;
  };
  nodes.forEach((node, number) => {
    cutAt(number * 2).nodes.add(number);
    cutAt(number * 2 + 1).nodes.add(number);
    if (node.reads !== undefined || node.source !== undefined) cutAt(number * 2 + 1).readers.push(number);
    if (node.writes !== undefined) cutAt(number * 2).writers.push(number);
  });
  return [...cuts.values()].map((cut) => ({ ...cut, nodes: [...cut.nodes] }));
};

const disjointSets = (size: number): { find(slot: number): number; unite(a: number, b: number): void } => {
  const parents = Array.from({ length: size }, (_, slot) => slot);
  const find = (slot: number): number => {
    let at = slot;
    for (let up = parents[at] ?? at; up !== at; up = parents[at] ?? at) {
      parents[at] = parents[up] ?? up; // halves the path while climbing
      at = up;
    }
    return at;
  };
  return {
    find,
    unite: (a, b) => {
      const [rootA, rootB] = [find(a), find(b)];
      parents[Math.max(rootA, rootB)] = Math.min(rootA, rootB);
    },
  };
};
