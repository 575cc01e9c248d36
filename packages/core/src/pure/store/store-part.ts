/** The part of a store that a group opens, and its shape: a log compares both with what it recorded. */
export interface StorePart {
  readonly store: string;
  readonly partition: number;
  /** The group that owns the store: each store has one owner. */
  readonly group: string;
  readonly version: number;
  /** Hash of the store's key and value schemas, and a short description of each for the error that compares them. */
  readonly fingerprint: string;
  /**
   * The topics whose records fill the store. If the group has read past their start already, a log that keeps positions refuses to create the store
   * (`STOPLOG_STORE_NEW`): it would lack those records. Left out, nothing is compared.
   */
  readonly filledFrom?: readonly string[];
}
