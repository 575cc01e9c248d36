/**
 * Reads a store by what the log knows of it: its group, its version, and the partitions of the topics that the group reads. The schemas are
 * in the program alone, so values are decoded by their form.
 */
import { isStoplogError, StoplogError } from '@stoplog/core';
import { compareBytes, decodeSortKey, encodeSortKey, partsOfShadow, serdeOf } from '@stoplog/core/kit';
import type { StateStore } from '@stoplog/core/port';
import type { GroupDescription } from '@stoplog/core/tools';
import { oneLine } from '@stoplog/runtime/kit';
import { hexOf } from '../text/json-text.ts';
import { suggestion } from '../text/suggest.ts';
import { topicsOf } from './group-argument.ts';
import type { LogArgument, OpenedLog } from './log-argument.ts';

export interface Stored {
  readonly store: string;
  readonly group: string;
  readonly version: number;
  /** One part for each partition. */
  readonly parts: readonly StateStore[];
}
const NEVER = new AbortController().signal;
const CHUNK = 256;

/** Every store of the log, by name; what lies beside a serving one (`#` in its name) only on request. */
export const storesIn = (
  groups: readonly GroupDescription[],
  all: boolean,
): readonly { readonly store: string; readonly version: number; readonly group: GroupDescription }[] =>
  groups
    .flatMap((group) => group.stores.map(({ store, version }) => ({ store, version, group })))
    .filter(({ store }) => all || partsOfShadow(store) === undefined)
    .toSorted((a, b) => (a.store < b.store ? -1 : 1));

export const openStored = async (name: string, opened: OpenedLog, { text }: LogArgument): Promise<Stored> => {
  const groups = await opened.module.groups(opened.log);
  const found = storesIn(groups, true).find(({ store }) => store === name);
  if (found === undefined) {
    const names = storesIn(groups, false).map(({ store }) => store);
    const there =
      names.length === 0 ? 'it holds no stores yet' : `it holds ${names.slice(0, 12).join(', ')}${names.length > 12 ? ` and ${names.length - 12} more` : ''}`;
    throw new StoplogError(
      'STOPLOG_USAGE',
      { store: name, stores: names },
      `there is no store '${oneLine(name)}' in ${text}: ${there}.${suggestion(name, names)} The first run of a pipeline makes its stores`,
    );
  }
  const { group, version } = found;
  const { fingerprint } = group.stores.find(({ store }) => store === name)!;
  const topics = topicsOf(group);
  const partitions = Math.max(1, ...opened.topics.filter((shape) => topics.has(shape.name)).map((shape) => shape.partitions));
  const part = { store: name, group: group.group, version, fingerprint };
  return {
    store: name,
    group: group.group,
    version,
    parts: await Promise.all(Array.from({ length: partitions }, (_, partition) => opened.log.store({ ...part, partition }, NEVER))),
  };
};

/** The value of a key in whichever partition has it. */
export const valueIn = ({ parts }: Stored, key: unknown): Uint8Array | undefined => {
  const bytes = encodeSortKey(key);
  for (const part of parts) {
    const value = part.get(bytes);
    if (value !== undefined) return value;
  }
  return undefined;
};

export interface Bounds {
  readonly gte?: unknown;
  readonly lt?: unknown;
  /** The beginning of keys that are texts. */
  readonly prefix?: string;
}
/** Entries in the order of their keys, over all partitions. */
export function* entriesIn({ parts }: Stored, { gte, lt, prefix }: Bounds): Generator<readonly [unknown, Uint8Array], void> {
  const from = prefix ?? gte;
  const to = lt === undefined ? {} : { lt: encodeSortKey(lt) };
  const walks = parts.map((part) => new Walk(part, from === undefined ? {} : { gte: encodeSortKey(from) }, to));
  for (;;) {
    const heads = walks.filter((walk) => walk.head !== undefined);
    if (heads.length === 0) return;
    const first = heads.reduce((least, walk) => (compareBytes(walk.head![0], least.head![0]) < 0 ? walk : least));
    const [bytes, value] = first.head!;
    const key = decodeSortKey(bytes);
    // Keys with a prefix are neighbours.
    if (prefix !== undefined && !(typeof key === 'string' && key.startsWith(prefix))) return;
    yield [key, value];
    first.next();
  }
}
class Walk {
  readonly #part: StateStore;
  readonly #to: { readonly lt?: Uint8Array };
  #chunk: readonly (readonly [Uint8Array, Uint8Array])[];
  #at = 0;

  constructor(part: StateStore, from: { readonly gte?: Uint8Array }, to: { readonly lt?: Uint8Array }) {
    this.#part = part;
    this.#to = to;
    this.#chunk = part.range({ ...from, ...to }, CHUNK);
  }
  get head(): readonly [Uint8Array, Uint8Array] | undefined {
    return this.#chunk[this.#at];
  }
  next(): void {
    const last = this.#chunk[this.#at++]![0];
    if (this.#at < this.#chunk.length || this.#chunk.length < CHUNK) return;
    this.#chunk = this.#part.range({ gt: last, ...this.#to }, CHUNK);
    this.#at = 0;
  }
}

/** A key as typed: JSON where it is JSON, else a text. */
export const keyIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** JSON, else msgpack, else the bytes as hex: the log does not know the codec of a store. */
export const decoded = (bytes: Uint8Array): unknown => {
  for (const codec of ['json', 'msgpack'] as const) {
    try {
      return serdeOf(codec).decode(bytes);
    } catch (error) {
      if (isStoplogError(error) && error.code === 'STOPLOG_LOG_CORRUPT') throw error;
    }
  }
  return { hex: hexOf(bytes) };
};
