/**
 * Every face carries its node under one registered symbol, so that a face made by another copy of this package is still a face here, and
 * so that an editor does not list the node among the verbs.
 */
import { StoplogError } from '@stoplog/core';
import type { EndNode, StreamNode, TableNode } from '../nodes/node.ts';

export const nodeKey: unique symbol = Symbol.for('stoplog.node');

interface NodeOf {
  readonly stream: StreamNode;
  readonly table: TableNode;
  readonly flow: EndNode;
}

/** Returns the node behind a face of one of these kinds; refuses any other value with an error that names the verb. */
export const nodeIn = <F extends keyof NodeOf>(
  verb: string,
  kinds: F | readonly F[],
  face: { readonly kind: F; readonly [nodeKey]?: NodeOf[F] },
): NodeOf[F] => {
  const given: unknown = face;
  const wanted: readonly string[] = typeof kinds === 'string' ? [kinds] : kinds;
  if (typeof given === 'object' && given !== null && face[nodeKey] !== undefined && wanted.includes(face.kind)) return face[nodeKey];
  const found = typeof given === 'object' && given !== null && 'kind' in given ? String(given.kind) : typeof given;
  throw new StoplogError('STOPLOG_USAGE', { verb, found }, `${verb} was given a ${found}: pass ${wanted.map((kind) => HOW[kind]).join(', or ')}`);
};

const HOW: Readonly<Record<string, string>> = {
  stream: 'a stream, as made by stream(topic) and its verbs',
  table: 'a table, as made by table(topic) or a fold',
  flow: 'an end, as made by .to(topic)',
};
