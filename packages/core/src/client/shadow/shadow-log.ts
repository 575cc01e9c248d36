/**
 * A shadow log lets a pipeline run a second time over the same log, beside itself: under shadow names for its group, its stores and the
 * topics between its tasks, and never ahead of the group that serves.
 *
 * The topics that the pipeline does not fill by itself are shared, and end where the serving group is. So a rebuild stops exactly there,
 * and takes over without a record left out or processed twice. What the pipeline appends to shared topics is a mistake of the caller: a
 * rebuild runs only the verbs that lead to its stores.
 */
import type { Assignment, Commit, Committed, Log, Membership, OffsetAt, Position, QueueLoad, RecordBatch, TopicPartition, TopicUse } from '../../port/log.ts';
import type { StateStore, StorePart } from '../../port/state-store.ts';
import { StoplogError } from '../../pure/errors.ts';
import { onAbort } from '../../pure/on-abort.ts';
import { shadowName } from '../../pure/store/shadow.ts';
import type { TopicShape } from '../../pure/topic/shape.ts';
import { endingAt } from './ending-cursor.ts';

export interface ShadowNames {
  /** The group that serves. */
  readonly group: string;
  /** See pure/store/shadow.ts. */
  readonly tag: string;
  /** The topics between the tasks: the rebuild has its own. */
  readonly own: readonly string[];
}
/** How often a reader that has reached the serving group looks for its next commit. */
const LOOK_MS = 20;

export class ShadowLog implements Log {
  readonly #log: Log;
  readonly #names: ShadowNames;
  readonly #own: ReadonlySet<string>;

  constructor(log: Log, names: ShadowNames) {
    this.#log = log;
    this.#names = names;
    this.#own = new Set(names.own);
  }

  get queue(): QueueLoad {
    return this.#log.queue ?? { bytes: 0, limit: Infinity, waiting: 0 };
  }
  ensure(topics: readonly TopicShape[], use?: TopicUse): Promise<void> {
    const shapes = topics.map((shape) => ({ ...shape, name: this.#topic(shape.name) }));
    return this.#log.ensure(shapes, use && { group: this.#group, owns: use.owns.map((name) => this.#topic(name)), appends: [] });
  }
  async *join(_group: string, { units, sessionMs }: Membership, signal: AbortSignal): AsyncIterable<Assignment> {
    const membership = { units: units.map((unit) => unit.map((place) => this.#place(place))), sessionMs };
    const served = new Map(units.flat().map(({ topic }) => [this.#topic(topic), topic]));
    for await (const assignment of this.#log.join(this.#group, membership, signal)) {
      yield {
        group: this.#names.group,
        partitions: assignment.partitions.map((held) => ({ ...held, topic: served.get(held.topic) ?? held.topic })),
        release: (ended) => assignment.release(ended.map((place) => this.#place(place))),
      };
    }
  }
  async fetch(from: Position, limit: { readonly bytes: number; readonly waitMs: number }, signal: AbortSignal): Promise<RecordBatch> {
    if (this.#own.has(from.topic)) return { ...(await this.#log.fetch({ ...from, ...this.#place(from) }, limit, signal)), topic: from.topic };
    const end = await this.#awaitEnd(from, limit.waitMs, signal);
    if (end <= from.offset) return { topic: from.topic, partition: from.partition, from: from.offset, next: from.offset, batches: [] };
    const found = await this.#log.fetch(from, { ...limit, waitMs: 0 }, signal);
    if (found.next <= end) return found;
    return { ...found, next: end, batches: found.batches.flatMap((batch) => (batch.baseOffset < end ? [endingAt(batch, end)] : [])) };
  }
  async offsets(partitions: readonly TopicPartition[], at: OffsetAt): Promise<readonly Position[]> {
    const found = await this.#log.offsets(
      partitions.map((place) => this.#place(place)),
      at,
    );
    return Promise.all(
      found.map(async ({ offset }, i) => {
        const place = partitions[i]!;
        const end = at === 'earliest' || this.#own.has(place.topic) ? undefined : await this.#served(place);
        return { topic: place.topic, partition: place.partition, offset: end !== undefined && end < offset ? end : offset };
      }),
    );
  }
  async committed(_group: string, partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    const found = await this.#log.committed(
      this.#group,
      partitions.map((place) => this.#place(place)),
    );
    return found.map(({ offset }, i) => ({ topic: partitions[i]!.topic, partition: partitions[i]!.partition, offset }));
  }
  store(part: StorePart, signal: AbortSignal): Promise<StateStore> {
    // A rebuild begins before its stores are there, in a group of its own.
    const { filledFrom: _, ...rest } = part;
    return this.#log.store({ ...rest, store: this.#store(part.store), group: this.#group }, signal);
  }
  commit(commit: Commit): Promise<Committed> {
    const shared = commit.appends.find(({ topic }) => !this.#own.has(topic));
    if (shared !== undefined)
      throw new StoplogError('STOPLOG_USAGE', { topic: shared.topic }, `a rebuild cannot append to topic '${shared.topic}': its records are there already`);
    return this.#log.commit({
      ...commit,
      group: commit.group === '' ? '' : this.#group,
      appends: commit.appends.map((append) => ({ ...append, topic: this.#topic(append.topic) })),
      stores: commit.stores.map((writes) => ({ ...writes, store: this.#store(writes.store) })),
      positions: commit.positions.map((move) => ({ ...move, topic: this.#topic(move.topic) })),
    });
  }
  deleteRecords(): Promise<readonly Position[]> {
    throw new StoplogError('STOPLOG_USAGE', {}, 'records cannot be deleted by a rebuild: use the log itself');
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log[Symbol.asyncDispose]();
  }

  get #group(): string {
    return shadowName(this.#names.group, this.#names.tag);
  }
  #topic(name: string): string {
    return this.#own.has(name) ? shadowName(name, this.#names.tag) : name;
  }
  #store(name: string): string {
    return shadowName(name, this.#names.tag);
  }
  #place({ topic, partition }: TopicPartition): TopicPartition {
    return { topic: this.#topic(topic), partition };
  }
  /** The position of the serving group. */
  async #served(place: TopicPartition): Promise<bigint> {
    const [position] = await this.#log.committed(this.#names.group, [{ topic: place.topic, partition: place.partition }]);
    return position!.offset;
  }
  /** The position of the serving group once it is behind `from`, or when the wait is over. */
  async #awaitEnd(from: Position, waitMs: number, signal: AbortSignal): Promise<bigint> {
    const until = performance.now() + waitMs;
    for (;;) {
      const end = await this.#served(from);
      const left = until - performance.now();
      if (end > from.offset || left <= 0 || signal.aborted) return end;
      await pause(Math.min(LOOK_MS, left), signal);
    }
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const stop = onAbort(signal, () => done());
    const timer = setTimeout(() => done(), ms);
    const done = (): void => {
      clearTimeout(timer);
      stop();
      resolve();
    };
  });
