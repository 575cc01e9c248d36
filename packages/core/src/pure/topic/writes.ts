/**
 * The setting `writes` of topics, stores and pipelines: whether what a pipeline's functions make is parsed before it is
 * written. The nearest declaration decides: that of the topic or store, then that of the pipeline. Where both leave it out,
 * `drive` and `simulate` parse, and a pipeline that runs trusts.
 */
import { StoplogError } from '../errors.ts';
import type { Schema } from '../schema/codec.ts';
import { takesItsOutput } from '../schema/written.ts';
import { OF_EVERY_TOPIC } from './topic-settings.ts';

export type Writes = (typeof OF_EVERY_TOPIC)['writes']['choices'][number];

/** Refuses a word that is none of the setting's, and 'parsed' for a schema that cannot judge what it yields. */
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
