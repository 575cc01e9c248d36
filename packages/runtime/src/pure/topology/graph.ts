/**
 * A pipeline is a graph of nodes, each holding what it reads from; the ends hold everything.
 *
 * Nodes are numbered by walking back from the ends, inputs before the node itself, ends in the order they were given.
 * The same module therefore gives the same numbers in every thread, and a number can stand for a function that cannot
 * be sent. Numbers are never persisted: state is found by the names of topics and stores.
 */
import type { AnyStore, AnyTopic, LogRecord, Sink, Source } from '@stoplog/core/port';

/** What a pipeline is wired to, without the types of keys and values. */
export type AnySource = Source<unknown, unknown>;
export type AnySink = Sink<never, never>;
export type AnyTarget = AnyTopic | AnySink;

export type AnyRecord = LogRecord<unknown, unknown>;

export interface StateAccess {
  get(key: unknown): unknown;
  set(key: unknown, state: unknown): void;
  delete(key: unknown): void;
}

/** What yields records: a key, a value, a time. */
export type StreamNode =
  | { readonly kind: 'stream'; readonly topic: AnyTopic }
  | { readonly kind: 'source'; readonly source: AnySource }
  | { readonly kind: 'filter'; readonly input: StreamNode; readonly keep: (value: unknown, record: AnyRecord) => boolean }
  | { readonly kind: 'map'; readonly input: StreamNode; readonly fn: (value: unknown, record: AnyRecord) => unknown }
  | { readonly kind: 'flat-map'; readonly input: StreamNode; readonly fn: (value: unknown, record: AnyRecord) => Iterable<unknown> }
  | { readonly kind: 'merge'; readonly left: StreamNode; readonly right: StreamNode }
  /** Gives records another key and sends them through a topic: the tasks before and after it meet only there. */
  | { readonly kind: 'through'; readonly input: StreamNode; readonly by: (value: unknown, record: AnyRecord) => unknown; readonly topic: AnyTopic }
  | {
      readonly kind: 'join';
      readonly input: StreamNode;
      readonly table: TableNode;
      readonly left: boolean;
      readonly combine: (value: unknown, match: unknown, record: AnyRecord) => unknown;
    }
  | {
      readonly kind: 'process';
      readonly input: StreamNode;
      readonly store: AnyStore;
      readonly step: (value: unknown, state: StateAccess, record: AnyRecord) => Iterable<unknown>;
    }
  | { readonly kind: 'changes'; readonly input: TableNode };

/** What yields changes: for a key, what it was and what it is. */
export type TableNode =
  | { readonly kind: 'table'; readonly topic: AnyTopic }
  | {
      readonly kind: 'fold';
      readonly verb: 'fold' | 'count';
      readonly input: StreamNode;
      readonly store: AnyStore;
      readonly init: () => unknown;
      readonly update: (state: unknown, value: unknown, record: AnyRecord) => unknown;
    }
  | { readonly kind: 'table-map'; readonly input: TableNode; readonly fn: (value: unknown, key: unknown) => unknown }
  | { readonly kind: 'table-filter'; readonly input: TableNode; readonly keep: (value: unknown, key: unknown) => boolean };

export type EndNode =
  | { readonly kind: 'to'; readonly input: StreamNode; readonly target: AnyTarget }
  | { readonly kind: 'table-to'; readonly input: TableNode; readonly target: AnyTarget };

export type Node = StreamNode | TableNode | EndNode;
export type End = EndNode | TableNode;

/** The nodes a node reads from, in the order it declares them. */
export const inputsOf = (node: Node): readonly (StreamNode | TableNode)[] => {
  switch (node.kind) {
    case 'stream':
    case 'source':
    case 'table':
      return [];
    case 'merge':
      return [node.left, node.right];
    case 'join':
      return [node.input, node.table];
    default:
      return [node.input];
  }
};

/** Every node behind the ends, inputs first; its index is its number. */
export const numberNodes = (ends: readonly End[]): readonly Node[] => {
  const seen = new Set<Node>();
  const visit = (root: Node): void => {
    // An explicit stack: a chain of ten thousand verbs is a long pipeline, not a stack overflow.
    const stack: { readonly node: Node; entered: boolean }[] = [{ node: root, entered: false }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (seen.has(top.node)) stack.pop();
      else if (top.entered) {
        seen.add(top.node);
        stack.pop();
      } else {
        top.entered = true;
        for (const input of inputsOf(top.node).toReversed()) if (!seen.has(input)) stack.push({ node: input, entered: false });
      }
    }
  };
  for (const end of ends) visit(end);
  return [...seen];
};
