/**
 * The tools of a log: what a command line can do to it beside appending and reading. A keeper has those that fit it.
 */
import type { Cleaned, CleanOptions } from '../pure/retention/cleaned.ts';
import type { TopicShape } from '../pure/topic/shape.ts';
import type { Administration } from './administration.ts';
import type { Inspection } from './inspection.ts';
import type { Log } from './log.ts';

export type { Cleaned, CleanOptions };

export interface Tools extends Administration, Inspection {
  /** The topics of the log, as they exist. */
  topics(log: Log): Promise<readonly TopicShape[]>;
  /** Applies retention and compacts now, due or not; resolves with what was freed and kept in each partition. */
  clean(log: Log, options?: CleanOptions): Promise<readonly Cleaned[]>;
}
