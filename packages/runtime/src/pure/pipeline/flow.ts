/**
 * A Flow is a path that has reached its end: its records are written to a topic or a sink, and no verb follows.
 *
 * A pipeline is made of such ends. A folded table is an end too: its store is the result.
 */
export interface Flow {
  readonly kind: 'flow';
}

/** An argument of `pipeline(name, ...ends)`. */
export type Ending = Flow | { readonly kind: 'table' };
