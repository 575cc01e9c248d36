/**
 * The notes of a group: a store in which a runtime remembers things about a partition across processes, in the same commits as the rest.
 *
 * The store belongs to the runtime and not to the pipeline: no tool lists it, it goes with its group, and it holds nothing that is
 * folded from records.
 */
import type { StorePart } from './store-part.ts';

export const notesPart = (group: string, partition: number): StorePart => ({ store: `${NOTES}${group}`, partition, group, version: 1, fingerprint: 'notes' });
/** No declared store has such a name. */
const NOTES = 'notes@';

export const isNotes = (store: string): boolean => store.startsWith(NOTES);
