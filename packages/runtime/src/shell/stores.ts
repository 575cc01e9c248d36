/**
 * Reads a store in the main thread, through the memory map, without a message to the actor that writes the store.
 */
import { type LogRecord, partitionOf, StoplogError, type Store } from '@stoplog/core';
import type { Log, StateStore, StorePart } from '@stoplog/core/port';
import { type AnyStore, checkSettings, compareBytes, decodeSortKey, encodeKey, encodeSortKey, type Known, storeOf } from '@stoplog/core/kit';
import { storePart } from '../pure/actor/store-part.ts';
import type { NeededStore } from '../pure/replay/needed.ts';
import type { Plan, Task, TaskStore } from '../pure/topology/plan.ts';
import { type HistoryOptions, historyOf } from './history.ts';

export interface StoreReader<K, V> {
  /** The value of a key as of the last commit. */
  get(key: K): Promise<V | undefined>;
  /** Entries with gte ≤ key < lt in the order of their keys, over all partitions. Changes made meanwhile may or may not be seen. */
  range(bounds?: { readonly gte?: K; readonly lt?: K }): AsyncIterable<readonly [K, V]>;
  /**
   * The history of a key: the records with this key in the topics that feed the store, as far as the pipeline has read them, in the
   * order in which it read them. Behind a `rekey` these are the records of its `through`. One partition of each topic is read.
   *
   * Records that retention or compaction has removed are missing, and a record that a `filter` dropped is among them.
   *
   * @example
   * for await (const { topic, offset, timestamp, value } of app.store(spentByCustomer).history('ann'))
   *   console.log(new Date(timestamp), topic, offset, value);
   */
  history(key: K, options?: HistoryOptions): AsyncIterable<LogRecord<K, unknown>>;
}

const CHUNK = 256;

/** The part to read: of the version that serves, while the declared one is being rebuilt. */
const serving = (part: StorePart, needed: NeededStore | undefined): StorePart => {
  if (needed === undefined) return part;
  const { store, from, to, isReadable } = needed;
  if (from !== undefined && isReadable) return { ...part, version: from };
  throw new StoplogError(
    'STOPLOG_REBUILD',
    { store, from, to },
    from === undefined
      ? `store '${store}' is new, and is still being filled from the records that are there: await app.settled(), or look at app.events for its progress`
      : `store '${store}' is being rebuilt, and the values of version ${from} have another schema: await app.settled(), or look at app.events for its progress. 'stoplog store get' still reads version ${from}`,
  );
};

/** `rebuilding` tells that a store is being rebuilt. */
export const readStore = <K, V>(
  log: Log,
  plan: Plan,
  face: Store<K, V>,
  rebuilding: (store: string) => NeededStore | undefined = () => undefined,
): StoreReader<K, V> => {
  const store = storeOf(face);
  const { task, owned } = owner(plan, store);
  const never = new AbortController().signal;
  const open = async (partition: number): Promise<StateStore> => log.store(serving(storePart(plan, owned, partition), rebuilding(store.name)), never);
  const decode = (bytes: Uint8Array): V => store.valueSerde.decode(bytes) as V;
  return {
    async get(key) {
      const keyBytes = encodeSortKey(key);
      for (const partition of candidates(task, key)) {
        const bytes = (await open(partition)).get(keyBytes);
        if (bytes !== undefined) return decode(bytes);
      }
      return undefined;
    },
    range(bounds = {}) {
      checkSettings(`the range of store '${store.name}'`, bounds, BOUNDS);
      return walk(bounds);
    },
    history: (key, options = {}) => historyOf(log, plan, store.name, key, options),
  };

  async function* walk(bounds: { readonly gte?: K; readonly lt?: K }): AsyncGenerator<readonly [K, V], void> {
    const from = bounds.gte === undefined ? {} : { gte: encodeSortKey(bounds.gte) };
    const to = bounds.lt === undefined ? {} : { lt: encodeSortKey(bounds.lt) };
    const parts = await Promise.all(Array.from({ length: task.partitions }, async (_, partition) => cursor(await open(partition), from, to)));
    for (;;) {
      const heads = parts.filter((part) => part.head !== undefined);
      if (heads.length === 0) return;
      const first = heads.reduce((least, part) => (compareBytes(part.head![0], least.head![0]) < 0 ? part : least));
      const [key, value] = first.head!;
      first.advance();
      yield [decodeSortKey(key) as K, decode(value)] as const;
    }
  }
};
const BOUNDS: Known<{ readonly gte?: unknown; readonly lt?: unknown }> = { gte: true, lt: true };

/** Walks a part in chunks, without holding a snapshot between them. */
export const cursor = (
  state: StateStore,
  from: { readonly gte?: Uint8Array },
  to: { readonly lt?: Uint8Array },
): { readonly head: readonly [Uint8Array, Uint8Array] | undefined; advance(): void } => {
  let chunk = state.range({ ...from, ...to }, CHUNK);
  let at = 0;
  return {
    get head() {
      return chunk[at];
    },
    advance() {
      const last = chunk[at]!;
      at++;
      if (at < chunk.length || chunk.length < CHUNK) return;
      chunk = state.range({ gt: last[0], ...to }, CHUNK);
      at = 0;
    },
  };
};

/** The partitions to search for a key: first that of a record with this key, then the others, because `process` may store any key anywhere. */
const candidates = (task: Task, key: unknown): readonly number[] => {
  const all = Array.from({ length: task.partitions }, (_, partition) => partition);
  const topic = task.inputs[0]?.topic;
  if (topic === undefined) return all;
  try {
    const encoded = encodeKey(topic, key);
    if (encoded === null) return all;
    const home = partitionOf(typeof encoded === 'string' ? Buffer.from(encoded) : encoded, task.partitions);
    return [home, ...all.filter((partition) => partition !== home)];
  } catch {
    return all;
  }
};

const owner = (plan: Plan, store: AnyStore): { readonly task: Task; readonly owned: TaskStore } => {
  for (const task of plan.tasks) {
    const owned = task.stores.find(({ name, table }) => table === undefined && name === store.name);
    if (owned !== undefined) return { task, owned };
  }
  const there = plan.tasks.flatMap((task) => task.stores.filter(({ table }) => table === undefined).map(({ name }) => `'${name}'`));
  throw new StoplogError('STOPLOG_USAGE', { store: store.name }, `pipeline '${plan.name}' has no store '${store.name}': it has ${there.join(', ') || 'none'}`);
};
