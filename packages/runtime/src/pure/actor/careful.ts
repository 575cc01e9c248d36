/** How the actor of a suspect unit begins: in small steps, for each of which it asks leave (process-note.ts tells why). */
import type { Place } from './place.ts';

/** Commits `pace` records at a time until it has taken `records`. */
export interface Careful {
  readonly pace: number;
  readonly records: number;
}
/** Records that are taken between two commits. */
export interface Step {
  readonly records: number;
  readonly first: Place;
}
