/**
 * A pipeline is a name and its ends. Every other node is reached from the ends; declaring a pipeline runs nothing.
 *
 * A module exports the pipeline by default, and the main thread and every worker import that module. Nodes are numbered by walking back
 * from the ends, so all threads give a node the same number.
 */
import { StoplogError } from '@stoplog/core';
import { checkName, checkSettings, checkWrites, type Known, type Writes } from '@stoplog/core/kit';
import type { End } from '../nodes/node.ts';
import type { Ending } from './flow.ts';
import { nodeIn } from './node-key.ts';

export interface Pipeline {
  readonly kind: 'pipeline';
  readonly name: string;
  readonly ends: readonly End[];
  readonly writes?: Writes | undefined;
}

/** A pipeline's name and settings. */
export interface PipelineSpec {
  readonly name: string;
  /** Trusts the results of the pipeline's functions, or parses them before they are written; a topic or store may declare otherwise. */
  readonly writes?: Writes;
}
const KNOWN: Known<PipelineSpec> = { name: true, writes: true };

/** A registered symbol, so that a pipeline made by another copy of this package is recognized. */
const mark: unique symbol = Symbol.for('stoplog.pipeline');

/** Each end as it is, or a text in place of its type, so that the first line of the compiler names the remedy. */
export type Ends<E extends readonly { readonly kind: string }[]> = {
  readonly [I in keyof E]: E[I] extends Ending ? E[I] : 'a stream is not an end: write it with .to(topic), or keep it with a fold or count';
};

/**
 * Declares a pipeline; its module exports it by default.
 *
 * @example
 * export default pipeline('large-orders',
 *   stream(orders).filter((order) => order.cents >= 10_000).to(largeOrders),
 * );
 */
export const pipeline = <const E extends readonly { readonly kind: string }[]>(named: string | PipelineSpec, ...ends: Ends<E>): Pipeline => {
  const { name, writes } = typeof named === 'object' && named !== null ? named : { name: named };
  checkName('pipeline', name);
  if (typeof named === 'object') checkSettings(`pipeline '${name}'`, named, KNOWN);
  checkWrites({ kind: 'pipeline', name }, writes, []);
  // The compiler refused values that are no end; `nodeIn` refuses them in plain JavaScript.
  const given = ends as readonly unknown[] as readonly Ending[];
  const nodes: End[] = given.map((end) => nodeIn('pipeline', ['flow', 'table'], end));
  const made: Pipeline & { readonly [mark]: true } = { [mark]: true, kind: 'pipeline', name, ends: Object.freeze(nodes), writes };
  return Object.freeze(made);
};

export const isPipeline = (value: unknown): value is Pipeline => typeof value === 'object' && value !== null && mark in value;

/** Returns the pipeline, or throws an error that shows how to declare one. */
export const pipelineOf = (value: unknown): Pipeline => {
  if (isPipeline(value)) return value;
  throw new StoplogError('STOPLOG_USAGE', { found: typeof value }, "this is not a pipeline: pass a value made by pipeline('name', ...ends)");
};
