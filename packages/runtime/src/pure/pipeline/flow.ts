/**
 * A Flow is a path that has reached its end: records that arrive there are written, and nobody reads on.
 *
 * A pipeline is made of such ends. A folded table is an end too: its store is what it was for.
 */
export interface Flow {
  readonly kind: 'flow';
}

/** What `pipeline(name, ...ends)` takes. */
export type Ending = Flow | { readonly kind: 'table' };
