/**
 * The tools of a log: the operations of a command line on it besides appending and reading. A keeper has the ones that fit it.
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
  /** Applies retention and compaction now, due or not; resolves with the freed and kept bytes of each partition. */
  clean(log: Log, options?: CleanOptions): Promise<readonly Cleaned[]>;
}
