/**
 * Compares rebuilt stores with those that serve: both are read in the order of their keys, side by side, and neither is held in memory.
 *
 * The records behind a difference are those of its key in the topics that fill the store: each partition is read once for the differences
 * that were found in it.
 */
import { createHash, type Hash } from 'node:crypto';
import { type AnyTopic, compareBytes, decodeSortKey, encodeKey, shadowName } from '@stoplog/core/kit';
import type { Log, StorePart } from '@stoplog/core/port';
import type { Tools } from '@stoplog/core/tools';
import { storePart } from '../../pure/actor/store-part.ts';
import type { Needed } from '../../pure/replay/needed.ts';
import type { Plan, Task, TaskStore } from '../../pure/topology/plan.ts';
import { batchesBefore } from '../batches-before.ts';
import { cursor } from '../stores.ts';

export interface DifferingRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}
export interface Difference {
  readonly store: string;
  readonly partition: number;
  readonly key: unknown;
  readonly kind: 'added' | 'removed' | 'changed';
  /** In the store that serves; undefined where the key is added. */
  readonly before: unknown;
  /** In the rebuilt store; undefined where the key is removed. */
  readonly after: unknown;
  /** The records of the key that the rebuild has read. */
  readonly records: readonly DifferingRecord[];
}
export interface StoreComparison {
  readonly store: string;
  readonly entries: number;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** Of all keys and values of the rebuilt store, hex; that of the serving store is the same if nothing differs. */
  readonly sha256: string;
}
interface Compared {
  readonly log: Log;
  readonly plan: Plan;
  readonly part: Plan;
  readonly needed: Needed;
  readonly tools: Pick<Tools, 'groups'>;
}

/** Differences whose records are looked for in one walk over the partition. */
const AT_ONCE = 10_000;

/** Adds the outcome of each store to `comparisons`. */
export async function* differences({ log, plan, part, needed, tools }: Compared, comparisons: StoreComparison[]): AsyncGenerator<Difference, void> {
  const served = (await tools.groups(log)).find(({ group }) => group === plan.name)?.stores ?? [];
  for (const task of part.tasks)
    for (const store of task.stores) {
      if (store.table !== undefined || !needed.stores.some((one) => one.store === store.name)) continue;
      const tally = { entries: 0, added: 0, removed: 0, changed: 0 };
      const hash = createHash('sha256');
      const recorded = served.find((one) => one.store === store.name);
      for (let partition = 0; partition < task.partitions; partition++) {
        const rebuilt = shadowPart(storePart(plan, store, partition), needed.tag);
        const serving = recorded && { ...storePart(plan, store, partition), version: recorded.version, fingerprint: recorded.fingerprint };
        const found: Found[] = [];
        for await (const one of inPartition(log, serving, rebuilt, hash, tally)) {
          found.push(one);
          if (found.length === AT_ONCE) yield* await told(log, part, needed, task, store, partition, found.splice(0));
        }
        yield* await told(log, part, needed, task, store, partition, found);
      }
      comparisons.push({ store: store.name, ...tally, sha256: hash.digest('hex') });
    }
}

interface Found {
  readonly key: Uint8Array;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}
interface Counted {
  entries: number;
  added: number;
  removed: number;
  changed: number;
}
const NEVER = new AbortController().signal;

const shadowPart = (part: StorePart, tag: string): StorePart => ({ ...part, store: shadowName(part.store, tag), group: shadowName(part.group, tag) });

async function* inPartition(log: Log, serving: StorePart | undefined, rebuilt: StorePart, hash: Hash, tally: Counted): AsyncGenerator<Found, void> {
  const nothing = { head: undefined, advance: (): void => {} };
  const a = serving === undefined ? nothing : cursor(await log.store(serving, NEVER), {}, {});
  const b = cursor(await log.store(rebuilt, NEVER), {}, {});
  for (;;) {
    const [left, right] = [a.head, b.head];
    if (left === undefined && right === undefined) return;
    const order = left === undefined ? 1 : right === undefined ? -1 : compareBytes(left[0], right[0]);
    if (order >= 0 && right !== undefined) {
      tally.entries++;
      hash.update(right[0]).update(right[1]);
    }
    if (order < 0) {
      tally.removed++;
      yield { key: left![0], before: left![1], after: undefined };
    } else if (order > 0) {
      tally.added++;
      yield { key: right![0], before: undefined, after: right![1] };
    } else if (compareBytes(left![1], right![1]) !== 0) {
      tally.changed++;
      yield { key: right![0], before: left![1], after: right![1] };
    }
    if (order <= 0) a.advance();
    if (order >= 0) b.advance();
  }
}

const told = async (
  log: Log,
  part: Plan,
  { tag }: Needed,
  task: Task,
  store: TaskStore,
  partition: number,
  found: readonly Found[],
): Promise<readonly Difference[]> => {
  const keys = found.map(({ key }) => decodeSortKey(key));
  const records = found.length > 0 ? await recordsOf(log, part, tag, task, partition, keys) : [];
  const { valueSerde } = store.store!;
  const decode = (bytes: Uint8Array | undefined): unknown => {
    if (bytes === undefined) return undefined;
    try {
      return valueSerde.decode(bytes);
    } catch {
      // A value of another codec or schema, as it lies there.
      return Buffer.from(bytes).toString();
    }
  };
  return found.map(({ before, after }, i) => ({
    store: store.name,
    partition,
    key: keys[i],
    kind: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    before: decode(before),
    after: decode(after),
    records: records[i]!,
  }));
};

/** The records of keys in one partition of the task's inputs, up to where the rebuild is. */
const recordsOf = async (
  log: Log,
  part: Plan,
  tag: string,
  task: Task,
  partition: number,
  keys: readonly unknown[],
): Promise<readonly (readonly DifferingRecord[])[]> => {
  const found: DifferingRecord[][] = keys.map(() => []);
  for (const { topic, role } of task.inputs) {
    const name = role === 'through' ? shadowName(topic.name, tag) : topic.name;
    const wanted = new Map(keys.flatMap((key, i): readonly [string, number][] => bytesOf(topic, key).map((bytes) => [bytes, i])));
    const [end] = await log.committed(shadowName(part.name, tag), [{ topic: name, partition }]);
    const [start] = await log.offsets([{ topic: name, partition }], 'earliest');
    for await (const { batches, from } of batchesBefore(log, start!, end!.offset, NEVER))
      for (const view of batches)
        while (view.next()) {
          const key = view.key();
          const i = key === null ? undefined : wanted.get(Buffer.from(key).toString('latin1'));
          if (i !== undefined && view.offset >= from && view.offset < end!.offset) found[i]!.push({ topic: topic.name, partition, offset: view.offset });
        }
  }
  return found;
};
const bytesOf = (topic: AnyTopic, key: unknown): readonly string[] => {
  try {
    const encoded = encodeKey(topic, key);
    return encoded === null ? [] : [Buffer.from(encoded as string).toString('latin1')];
  } catch {
    // A key that `process` has made, and no record has.
    return [];
  }
};
