/** Which part of which store is opened, by whom, and in which shape: what a log compares with what it recorded. */
export interface StorePart {
  readonly store: string;
  readonly partition: number;
  /** The group that owns the store: one store, one owner. */
  readonly group: string;
  readonly version: number;
  /** Hash of the store's key and value schemas, and each in a word or two for the error that compares them. */
  readonly fingerprint: string;
}
