/**
 * The setting `writes` of topics, stores and pipelines: are values made by a pipeline's functions parsed before they are written?
 *
 * The nearest declaration decides: that of the topic or store, then that of the pipeline. Without a declaration `drive` and
 * `simulate` parse, and a running pipeline trusts.
 */
import { StoplogError } from '../errors.ts';
import type { Schema } from '../schema/codec.ts';
import { takesItsOutput } from '../schema/written.ts';
import { OF_EVERY_TOPIC } from './topic-settings.ts';

export type Writes = (typeof OF_EVERY_TOPIC)['writes']['choices'][number];

/** Refuses other words, and 'parsed' for a schema that cannot judge its own output. */
export const checkWrites = ({ kind, name }: { readonly kind: string; readonly name: string }, writes: Writes | undefined, schemas: readonly Schema[]): void => {
  if (writes === undefined) return;
  if (!OF_EVERY_TOPIC.writes.choices.includes(writes))
    throw new StoplogError(
      'STOPLOG_USAGE',
      { [kind]: name, writes },
      `${kind} '${name}' cannot have writes: ${String(writes)}: take 'trusted' or 'parsed', or leave it out`,
    );
  if (writes === 'trusted' || schemas.every(takesItsOutput)) return;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { [kind]: name, writes },
    `${kind} '${name}' cannot have writes: 'parsed', because a schema of it transforms, and does not take what it yields: ` +
      `declare the ${kind} by what the transform yields, or leave writes out`,
  );
};
