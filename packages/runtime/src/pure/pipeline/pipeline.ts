/**
 * A pipeline is a name and its ends. Everything else hangs behind the ends, node by node; nothing runs yet.
 *
 * A module exports it by default, main and every thread import that module, and because numbering walks back from the
 * ends, all of them give a node the same number.
 */
import { StoplogError } from '@stoplog/core';
import { checkName } from '@stoplog/core/kit';
import type { End } from '../nodes/node.ts';
import type { Ending } from './flow.ts';
import { nodeIn } from './node-key.ts';

export interface Pipeline {
  readonly kind: 'pipeline';
  readonly name: string;
  readonly ends: readonly End[];
}

/** Registered, so that a pipeline made by another copy of this package is known as one. */
const mark: unique symbol = Symbol.for('stoplog.pipeline');

/**
 * What a pipeline module exports by default.
 *
 * @example
 * export default pipeline('large-orders',
 *   stream(orders).filter((order) => order.cents >= 10_000).to(largeOrders),
 * );
 */
export const pipeline = (name: string, ...ends: Ending[]): Pipeline => {
  checkName('pipeline', name);
  const nodes: End[] = ends.map((end) => nodeIn('pipeline', ['flow', 'table'], end));
  const made: Pipeline & { readonly [mark]: true } = { [mark]: true, kind: 'pipeline', name, ends: Object.freeze(nodes) };
  return Object.freeze(made);
};

export const isPipeline = (value: unknown): value is Pipeline => typeof value === 'object' && value !== null && mark in value;

/** The pipeline, or an error that shows what one looks like. */
export const pipelineOf = (value: unknown): Pipeline => {
  if (isPipeline(value)) return value;
  throw new StoplogError('STOPLOG_USAGE', { found: typeof value }, "this is not a pipeline: pass a value made by pipeline('name', ...ends)");
};
