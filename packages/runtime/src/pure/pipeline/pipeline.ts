/**
 * A pipeline is a name and its ends. Everything else hangs behind the ends, node by node; nothing runs yet.
 *
 * A module exports it by default, main and every thread import that module, and because numbering walks back from the
 * ends, all of them give a node the same number.
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
export interface PipelineSpec {
  readonly name: string;
  /** For every topic and store that does not say it: trusts what functions make, or parses it before it is written. */
  readonly writes?: Writes;
}
const KNOWN: Known<PipelineSpec> = { name: true, writes: true };

/** Registered, so that a pipeline made by another copy of this package is known as one. */
const mark: unique symbol = Symbol.for('stoplog.pipeline');

/** Each end as it is, or a text in place of its type, so that the compiler's first line says what to write. */
export type Ends<E extends readonly { readonly kind: string }[]> = {
  readonly [I in keyof E]: E[I] extends Ending ? E[I] : 'a stream is not an end: write it with .to(topic), or keep it with a fold or count';
};

/**
 * What a pipeline module exports by default.
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
  // What is no end was refused by the compiler; nodeIn refuses it for plain JavaScript.
  const given = ends as readonly unknown[] as readonly Ending[];
  const nodes: End[] = given.map((end) => nodeIn('pipeline', ['flow', 'table'], end));
  const made: Pipeline & { readonly [mark]: true } = { [mark]: true, kind: 'pipeline', name, ends: Object.freeze(nodes), writes };
  return Object.freeze(made);
};

export const isPipeline = (value: unknown): value is Pipeline => typeof value === 'object' && value !== null && mark in value;

/** The pipeline, or an error that shows what one looks like. */
export const pipelineOf = (value: unknown): Pipeline => {
  if (isPipeline(value)) return value;
  throw new StoplogError('STOPLOG_USAGE', { found: typeof value }, "this is not a pipeline: pass a value made by pipeline('name', ...ends)");
};
