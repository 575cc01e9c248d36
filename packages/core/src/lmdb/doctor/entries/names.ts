/**
 * Reads the names and numbers of a log: the whole meta table, with its findings. All other entries are checked against it.
 */
import {
  CLEANING_PREFIX,
  fromBytes,
  GONE_PREFIX,
  GROUP_PREFIX,
  PRODUCER_PREFIX,
  SEALED_PREFIX,
  SOURCE_PREFIX,
  STORE_PREFIX,
  TOPIC_PREFIX,
  type GoneMeta,
  type GroupMeta,
  type ProducerMeta,
  type SourceMeta,
  type StoreMeta,
  type TopicMeta,
} from '../../layout/meta.ts';
import { FORMAT } from '../../layout/keyspace.ts';
import type { TopicShape } from '../../../pure/topic/shape.ts';
import { finding, type Finding } from '../../../pure/log/finding.ts';

export interface Names {
  readonly topics: ReadonlyMap<number, TopicShape>;
  /** The groups that own topics, by the number of the topic. */
  readonly owners: ReadonlyMap<number, string>;
  readonly stores: ReadonlyMap<number, StoreMeta & { readonly name: string }>;
  readonly groups: ReadonlyMap<number, string>;
  readonly sources: ReadonlyMap<number, string>;
  readonly producers: ReadonlyMap<number, string>;
  /** Numbers of deleted owners whose bytes are still being freed. */
  readonly gone: ReadonlySet<number>;
  /** The next number to be assigned. */
  readonly next: number | undefined;
}

/** `entries` are keys and values without seals. */
export const namesIn = (
  entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[],
): { readonly names: Names; readonly findings: readonly Finding[] } => {
  const topics = new Map<number, TopicShape>();
  const owners = new Map<number, string>();
  const stores = new Map<number, StoreMeta & { readonly name: string }>();
  const groups = new Map<number, string>();
  const sources = new Map<number, string>();
  const producers = new Map<number, string>();
  const gone = new Set<number>();
  const findings: Finding[] = [];
  let next: number | undefined;
  let format: number | undefined;
  const wrong = (key: string, what: string): void => void findings.push(finding('form', { table: 'meta' }, `'${key}' ${what}`));
  const taken = new Map<number, string>();
  const take = (id: unknown, key: string): id is number => {
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) wrong(key, 'has no number');
    else if (taken.has(id)) wrong(key, `has the number ${id}, and so has '${taken.get(id)}'`);
    else {
      taken.set(id, key);
      return true;
    }
    return false;
  };
  for (const [bytes, value] of entries) {
    const key = Buffer.from(bytes).toString();
    let data: unknown;
    try {
      data = fromBytes(value);
    } catch {
      wrong(key, 'is not JSON');
      continue;
    }
    const kind = META_KINDS.find((one) => (one.endsWith(':') ? key.startsWith(one) : key === one));
    const name = key.slice(kind?.length ?? 0);
    if (kind === 'format') format = data as number;
    else if (kind === 'next') next = data as number;
    // The file's identity, its clock, the count of exchanges, seals and the totals of the cleanings have no rule.
    else if (kind === 'file' || kind === 'clock' || kind === 'exchanges' || kind === SEALED_PREFIX || kind === CLEANING) continue;
    else if (kind === undefined) findings.push(finding('unknown', { table: 'meta' }, `'${key}' is of a kind that this version does not know`));
    else if (typeof data !== 'object' || data === null) wrong(key, 'is not an object');
    else if (kind === TOPIC) {
      const { id, shape, owner } = data as TopicMeta;
      if (shape?.name !== name || !(shape.partitions >= 1)) wrong(key, 'is not the shape of that topic');
      else if (take(id, key)) {
        topics.set(id, shape);
        if (typeof owner === 'string') owners.set(id, owner);
      }
    } else if (kind === STORE) {
      if (take((data as StoreMeta).id, key)) stores.set((data as StoreMeta).id, { ...(data as StoreMeta), name });
    } else if (kind === GROUP) {
      if (take((data as GroupMeta).id, key)) groups.set((data as GroupMeta).id, name);
    } else if (kind === SOURCE) {
      if (take((data as SourceMeta).id, key)) sources.set((data as SourceMeta).id, name);
    } else if (kind === PRODUCER) {
      if (take((data as ProducerMeta).id, key)) producers.set((data as ProducerMeta).id, name);
    } else if (take((data as GoneMeta).id, key)) gone.add((data as GoneMeta).id);
  }
  if (format === undefined) wrong('format', 'is missing');
  else if (format > FORMAT) findings.push(finding('unknown', { table: 'meta' }, `the format is ${format}, and this version knows up to ${FORMAT}`));
  const largest = Math.max(0, ...taken.keys());
  if (next === undefined ? taken.size > 0 : !(next > largest))
    wrong('next', `is ${next ?? 'missing'}, and number ${largest} is taken: it would be assigned twice`);
  return { names: { topics, owners, stores, groups, sources, producers, gone, next }, findings };
};

const [TOPIC = '', STORE = '', GROUP = '', SOURCE = '', PRODUCER = '', GONE = '', CLEANING = ''] = [
  TOPIC_PREFIX,
  STORE_PREFIX,
  GROUP_PREFIX,
  SOURCE_PREFIX,
  PRODUCER_PREFIX,
  GONE_PREFIX,
  CLEANING_PREFIX,
].map(String);
/** Whole keys, and prefixes of keys. */
export const META_KINDS: readonly string[] = [
  'format',
  'next',
  'file',
  'clock',
  'exchanges',
  TOPIC,
  STORE,
  GROUP,
  SOURCE,
  PRODUCER,
  GONE,
  SEALED_PREFIX,
  CLEANING,
];
