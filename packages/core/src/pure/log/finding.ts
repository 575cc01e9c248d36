/**
 * What a check tells: a rule that does not hold, where, and a sentence. Rules are those of the reliability plan: L1 what was
 * acknowledged is there, L2 no two values at one offset, L3 offsets are never reused, L6 compaction, L9 starts and ends,
 * L10 times, L11 checksums; the rest are what these stand on.
 */
export type Rule =
  | 'file' // the folder or the file as a whole
  | 'page' // a page of LMDB's own
  | 'count' // a tree has another number of entries or pages than it says
  | 'free-list' // a page is used and free, twice, or neither
  | 'checksum' // L11
  | 'form' // a value whose checksum agrees and that makes no sense
  | 'place' // a batch under another key than its header says
  | 'gap' // L1
  | 'overlap' // L2
  | 'end' // L3, L9
  | 'bytes' // a sum that is not one
  | 'segment'
  | 'time' // L10
  | 'compaction' // L6
  | 'position'
  | 'owner' // what belongs to something that is not there
  | 'unknown'; // written by a later version, perhaps

export interface Finding {
  readonly rule: Rule;
  readonly file: string;
  readonly table?: string;
  readonly page?: number;
  readonly topic?: string;
  readonly partition?: number;
  readonly offset?: bigint;
  /** Behind the last offset that is concerned. */
  readonly until?: bigint;
  readonly group?: string;
  readonly store?: string;
  readonly what: string;
}
export type Places = Omit<Finding, 'rule' | 'file' | 'what'>;

export const DATA = 'data.mdb';
export const finding = (rule: Rule, places: Places, what: string): Finding => ({ rule, file: DATA, ...places, what });

/** What a later version may have written is told, and is no damage. */
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
