/**
 * A finding of a check: a rule that does not hold, where, and a sentence. The rules are those of the reliability plan: L1
 * acknowledged records are there, L2 no two values at one offset, L3 offsets are never reused, L6 compaction, L9 starts and
 * ends, L10 times, L11 checksums; the other rules are what these depend on.
 */
export type Rule =
  | 'file' // the folder or the file as a whole
  | 'page' // a page of LMDB's own
  | 'count' // a tree has a different number of entries or pages than it states
  | 'free-list' // a page is used and free, used twice, or leaked
  | 'checksum' // L11
  | 'form' // a value with a matching checksum cannot be decoded
  | 'place' // a batch is stored under another key than its header says
  | 'gap' // L1
  | 'overlap' // L2
  | 'end' // L3, L9
  | 'bytes' // a sum is wrong
  | 'segment'
  | 'time' // L10
  | 'compaction' // L6
  | 'position'
  | 'owner' // a row belongs to something that does not exist
  | 'unknown'; // perhaps written by a later version

export interface Finding {
  readonly rule: Rule;
  readonly file: string;
  readonly table?: string;
  readonly page?: number;
  readonly topic?: string;
  readonly partition?: number;
  readonly offset?: bigint;
  /** The offset after the last one concerned. */
  readonly until?: bigint;
  readonly group?: string;
  readonly store?: string;
  readonly what: string;
}
export type Places = Omit<Finding, 'rule' | 'file' | 'what'>;

export const DATA = 'data.mdb';
export const finding = (rule: Rule, places: Places, what: string): Finding => ({ rule, file: DATA, ...places, what });

/** Rows that a later version may have written are reported, and are not damage. */
export const isDamage = ({ rule }: Finding): boolean => rule !== 'unknown';

/** `data.mdb  log  orders[1] offsets 120 to 135` */
export const placeText = ({ file, table, page, topic, partition, offset, until, group, store }: Finding): string =>
  [
    file,
    table,
    page === undefined ? undefined : `page ${page}`,
    group === undefined ? undefined : `group ${group}`,
    store === undefined ? undefined : `store ${store}`,
    topic === undefined ? undefined : `${topic}${partition === undefined ? '' : `[${partition}]`}`,
    offset === undefined ? undefined : until === undefined || until === offset + 1n ? `offset ${offset}` : `offsets ${offset} to ${until - 1n}`,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
