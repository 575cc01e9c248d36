/**
 * A log that keeps the port's promises and nothing more: what it need not do, it sometimes does not.
 *
 * A commit is visible when it is made and durable when it is flushed; a power cut takes back any suffix of what was not
 * flushed. Behind a batch there may be a hole. Commits in an epoch in which their partitions are not held, or from where the
 * group does not stand, are refused and leave nothing behind.
 */
import {
  EMPTY_GROUP,
  groupStep,
  inspectHeader,
  openBatch,
  placeName,
  stampBatch,
  StoplogError,
  type AnyTopic,
  type BatchView,
  type Commit,
  type GroupEffect,
  type GroupEvent,
  type GroupState,
  type Position,
} from '@stoplog/core/port';
import type { Chance } from './chance.ts';
import { DrivenPart } from './driven-store.ts';
import type { SessionMember } from './simulated-member.ts';

export interface KeptBatch {
  readonly base: bigint;
  readonly next: bigint;
  readonly bytes: Uint8Array;
}
export interface KeptPartition {
  readonly batches: KeptBatch[];
  end: bigint;
}
/** What its committer is told, now or later. */
export interface Receipt {
  readonly offsets: readonly bigint[];
  durable: boolean;
  /** A power cut took it back. */
  lost: boolean;
}
/** One change of the log, in the order in which changes became visible. */
export interface LogEntry {
  readonly commit: Commit | undefined;
  /** The group as it was made. */
  readonly group: Group | undefined;
  readonly receipt: Receipt;
  readonly undo: () => void;
}

export type Group = GroupState<SessionMember>;

export class SimulatedLog {
  readonly topics: ReadonlyMap<string, readonly KeptPartition[]>;
  readonly #ids: ReadonlyMap<string, number>;
  readonly #stores = new Map<string, DrivenPart>();
  readonly #positions = new Map<string, bigint>();
  readonly #refused = new Set<string>();
  /** Visible, and not durable yet. */
  #unflushed: LogEntry[] = [];
  protected readonly chance: Chance;
  readonly #holes: number;
  group: Group = EMPTY_GROUP;

  constructor(topics: readonly AnyTopic[], chance: Chance, holes: number) {
    this.topics = new Map(topics.map(({ name, partitions }) => [name, Array.from({ length: partitions }, () => ({ batches: [], end: 0n }))]));
    this.#ids = new Map(topics.map(({ name }, i) => [name, i + 1]));
    this.chance = chance;
    this.#holes = holes;
  }

  get unflushed(): readonly LogEntry[] {
    return this.#unflushed;
  }
  partition(topic: string, number: number): KeptPartition {
    const partition = this.topics.get(topic)?.[number];
    if (partition === undefined) throw new Error(`invariant broken: the log has ${topic}[${number}]`);
    return partition;
  }
  fetch({ topic, partition: number, offset }: Position, bytes: number): { readonly batches: readonly BatchView[]; readonly next: bigint } {
    const partition = this.partition(topic, number);
    if (offset < 0n || offset > partition.end)
      throw new StoplogError(
        'STOPLOG_OFFSET_OUT_OF_RANGE',
        { topic, partition: number, offset, start: 0n, end: partition.end },
        `${topic}[${number}] ends at ${partition.end}, and ${offset} lies outside: read from 'earliest'`,
      );
    const { batches } = partition;
    let at = batches.length;
    while (at > 0 && batches[at - 1]!.next > offset) at--;
    const found: BatchView[] = [];
    let size = 0;
    let next = offset;
    for (; at < batches.length; at++) {
      const kept = batches[at]!;
      if (found.length > 0 && size + kept.bytes.length > bytes) return { batches: found, next };
      found.push(openBatch(kept.bytes));
      size += kept.bytes.length;
      next = kept.next;
    }
    return { batches: found, next: found.length === 0 ? partition.end : next };
  }
  /** Where the group stands. */
  position(topic: string, partition: number): bigint {
    return this.#positions.get(nameOf(topic, partition)) ?? 0n;
  }
  store(name: string, partition: number): DrivenPart {
    const place = nameOf(name, partition);
    let part = this.#stores.get(place);
    if (part === undefined) this.#stores.set(place, (part = new DrivenPart()));
    return part;
  }

  /** All or nothing. Visible when it returns. */
  commit(commit: Commit): Receipt {
    if (commit.group !== '') {
      try {
        this.checkLife(commit);
        this.checkEpoch(commit);
        this.checkPositions(commit);
      } catch (error) {
        this.refuse(commit);
        throw error;
      }
    }
    const { offsets, undo } = this.apply(commit);
    return this.#enter({ commit, group: undefined, undo }, offsets);
  }
  /** Does something to the group, and says what became of it. */
  change(event: GroupEvent<SessionMember>): readonly GroupEffect[] {
    const before = this.group;
    const [after, effects] = this.step(before, event);
    if (after === before) return [];
    this.group = after;
    const undo = (): void => {
      this.group = before;
    };
    this.#enter({ commit: undefined, group: after, undo }, []);
    return effects;
  }

  /** Makes everything durable and hands it out. */
  flush(): readonly LogEntry[] {
    const flushed = this.#unflushed;
    this.#unflushed = [];
    for (const { receipt } of flushed) receipt.durable = true;
    return flushed;
  }
  /** The machine stops: of what was not flushed, the first so many survive. Hands out what did not. */
  powerCut(survivors: number): readonly LogEntry[] {
    const lost = this.#unflushed.splice(survivors);
    for (const { undo, receipt } of lost.toReversed()) {
      undo();
      receipt.lost = true;
    }
    return lost;
  }
  /** A process has died. Nothing of what it committed is touched. */
  processDied(): void {}

  /** A commit that was not taken: none that was made from it is. */
  refuse({ life }: Commit): void {
    if (life !== undefined) this.#refused.add(life);
  }
  protected checkLife({ life }: Commit): void {
    if (life !== undefined && this.#refused.has(life))
      throw new StoplogError('STOPLOG_FENCED', { life }, 'an earlier commit of this actor was refused, and this one was made from it: nothing is to be done');
  }
  protected step(group: Group, event: GroupEvent<SessionMember>): readonly [Group, readonly GroupEffect[]] {
    return groupStep(group, event);
  }
  protected checkEpoch({ epoch, positions }: Commit): void {
    for (const place of positions) {
      const current = this.group.held.get(placeName(place))?.epoch;
      if (epoch !== current)
        throw new StoplogError(
          'STOPLOG_FENCED',
          { epoch, current },
          `${placeName(place)} is not held in epoch ${epoch} (${current === undefined ? 'nobody has it' : `but in ${current}`}): nothing is to be done`,
        );
    }
  }
  protected checkPositions({ epoch, positions }: Commit): void {
    for (const { topic, partition, from } of positions) {
      const stands = this.position(topic, partition);
      if (stands !== from)
        throw new StoplogError(
          'STOPLOG_FENCED',
          { epoch, partition, from, stands },
          `this commit goes on from ${topic}[${partition}] ${from}, and the group stands at ${stands}: nothing is to be done`,
        );
    }
  }
  protected apply(commit: Commit): { readonly offsets: readonly bigint[]; readonly undo: () => void } {
    const undos: (() => void)[] = [];
    const offsets = commit.appends.map(({ topic, partition: number, batch }) => {
      const partition = this.partition(topic, number);
      const base = partition.end;
      const bytes = new Uint8Array(batch);
      stampBatch(bytes, { topicId: this.#ids.get(topic)!, partition: number, baseOffset: base });
      const next = base + BigInt(inspectHeader(bytes).lastOffsetDelta) + 1n;
      partition.batches.push({ base, next, bytes });
      partition.end = this.chance.is(this.#holes) ? next + BigInt(this.chance.between(1, 3)) : next;
      undos.push(() => {
        partition.batches.pop();
        partition.end = base;
      });
      return base;
    });
    for (const { store, partition, keys, values } of commit.stores) {
      const part = this.store(store, partition);
      const before = keys.map((key) => part.get(key) ?? null);
      part.write({ keys, values });
      undos.push(() => part.write({ keys, values: before }));
    }
    for (const { topic, partition, to } of commit.positions) {
      const before = this.position(topic, partition);
      this.#positions.set(nameOf(topic, partition), to);
      undos.push(() => this.#positions.set(nameOf(topic, partition), before));
    }
    return {
      offsets,
      undo: () => {
        for (const undo of undos.toReversed()) undo();
      },
    };
  }

  #enter(entry: Omit<LogEntry, 'receipt'>, offsets: readonly bigint[]): Receipt {
    const receipt: Receipt = { offsets, durable: false, lost: false };
    this.#unflushed.push({ ...entry, receipt });
    return receipt;
  }
}

const nameOf = (name: string, partition: number): string => `${partition}:${name}`;
