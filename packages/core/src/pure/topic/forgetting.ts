/**
 * The settings of forgetting as a declaration gives them, checked. What is left out is left out of the shape too: then
 * the log's own default counts, also one of a later version.
 */
import { StoplogError } from '../errors.ts';
import type { Forgetting } from './shape.ts';

export interface ForgettingSpec {
  readonly retentionBytes?: number;
  readonly segment?: number;
  readonly segmentBytes?: number;
  readonly ageBy?: 'arrival' | 'timestamp';
  readonly deleteRetention?: number;
  readonly minCompactionLag?: number;
  readonly maxCompactionLag?: number;
  readonly minDirtyRatio?: number;
}

/** Of each number: its name in the shape, the least it may be, and what to write instead. */
const NUMBERS: readonly (readonly [keyof ForgettingSpec, keyof Forgetting, number, string])[] = [
  ['retentionBytes', 'retentionBytes', 0, 'take bytes, such as 1_000_000_000'],
  ['segment', 'segmentMs', 1, 'take hours(1)'],
  ['segmentBytes', 'segmentBytes', 1, 'take bytes, such as 64_000_000'],
  ['deleteRetention', 'deleteRetentionMs', 0, 'take days(1)'],
  ['minCompactionLag', 'minCompactionLagMs', 0, 'take minutes(5)'],
  ['maxCompactionLag', 'maxCompactionLagMs', 1, 'take days(7)'],
];

export const forgettingOf = (topic: string, spec: ForgettingSpec): Forgetting | undefined => {
  const refuse = (name: string, found: unknown, remedy: string): never => {
    throw new StoplogError('STOPLOG_USAGE', { topic, [name]: found }, `topic '${topic}' cannot have ${name}: ${String(found)}: ${remedy}, or leave it out`);
  };
  const made: Record<string, number | string> = {};
  for (const [name, kept, least, remedy] of NUMBERS) {
    const found = spec[name];
    if (found === undefined) continue;
    if (typeof found !== 'number' || !Number.isSafeInteger(found) || found < least) return refuse(name, found, remedy);
    made[kept] = found;
  }
  const { ageBy, minDirtyRatio, minCompactionLag, maxCompactionLag } = spec;
  if (minDirtyRatio !== undefined) {
    if (!(minDirtyRatio >= 0 && minDirtyRatio <= 1)) return refuse('minDirtyRatio', minDirtyRatio, 'take a share from 0 to 1');
    made['minDirtyRatio'] = minDirtyRatio;
  }
  if (ageBy !== undefined) {
    if (ageBy !== 'arrival' && ageBy !== 'timestamp') return refuse('ageBy', ageBy, "take 'arrival' or 'timestamp'");
    made['ageBy'] = ageBy;
  }
  if (minCompactionLag !== undefined && maxCompactionLag !== undefined && minCompactionLag > maxCompactionLag)
    return refuse('minCompactionLag', minCompactionLag, 'take one that is not above maxCompactionLag');
  return Object.keys(made).length === 0 ? undefined : Object.freeze(made);
};
