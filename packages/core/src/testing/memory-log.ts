/**
 * The simplest Log that keeps the promises; other logs are compared with it.
 *
 * A memory log leaves holes in its offsets on purpose, so that any test over it fails when code adds one to an offset to get
 * the next. A `MemoryDisk` keeps the data; a log is only a handle on a disk, and may be closed and opened again, or be one of
 * several. `drive` and `simulate` work on the disk itself, whose calls are synchronous.
 */
import type { Clock } from './sim-clock.ts';
import type { Assignment, Committed, AssignedPartition, Membership, OffsetAt, Position, RecordBatch, TopicPartition } from '../port/log.ts';
import type { NumberedCommit, NumberedLog, ProducerIncarnation } from '../port/numbered-log.ts';
import type { StateStore, StorePart } from '../port/state-store.ts';
import { StoplogError } from '../pure/errors.ts';
import { assignmentsOf } from '../pure/group/group-state.ts';
import { checkMembership, keepsWithout, nextAction, replacedError, type MemberAction } from '../pure/group/member.ts';
import { isSource } from '../pure/group/group-partition.ts';
import { SESSION_MS } from '../pure/group/session.ts';
import type { TopicShape } from '../pure/topic/shape.ts';
import { MemoryDisk } from './memory-disk.ts';

export interface MemoryLogOptions {
  /** Share a disk to have several logs over the same data, or to open it again. */
  readonly disk?: MemoryDisk;
  /** True by default: leaves an offset unused after every batch. A given disk keeps its own setting. */
  readonly holes?: boolean;
  /** The clock by which `waitMs` is measured: the machine's by default. */
  readonly clock?: Pick<Clock, 'after'>;
  /** The process id of this log's members, for `MemoryDisk.evict`. */
  readonly pid?: number;
}

export const memoryLog = (options: MemoryLogOptions = {}): NumberedLog =>
  new MemoryLog(options.disk ?? new MemoryDisk({ holes: options.holes ?? true }), options.clock ?? machine, options.pid ?? 0);

/** Counts every join in this process, to tell the incarnations of members apart. */
let members = 0;

const machine: Pick<Clock, 'after'> = {
  after: (ms, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = Number.isFinite(ms) ? setTimeout(end, ms) : undefined;
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    }),
};

class MemoryLog implements NumberedLog {
  readonly #disk: MemoryDisk;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #pid: number;
  readonly #closing = new AbortController();
  /** Members that joined through this log, and their groups. */
  readonly #members = new Map<string, string>();

  constructor(disk: MemoryDisk, clock: Pick<Clock, 'after'>, pid: number) {
    this.#disk = disk;
    this.#clock = clock;
    this.#pid = pid;
  }

  async ensure(topics: readonly TopicShape[]): Promise<void> {
    this.#checkOpen();
    this.#disk.ensure(topics);
  }

  async *join(name: string, membership: Membership, signal: AbortSignal): AsyncGenerator<Assignment> {
    this.#checkOpen();
    checkMembership(membership);
    for (const { topic, partition } of membership.units.flat()) if (!isSource(topic)) this.#disk.partition(topic, partition);
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    let id = '';
    let reported: readonly AssignedPartition[] | undefined;
    const enter = (): void => {
      id = `m${++members}`;
      this.#members.set(id, name);
      const { units, instanceId, sessionMs = SESSION_MS } = membership;
      this.#disk.step(name, { type: 'join', member: { id, instanceId, units, sessionMs, heartbeats: 0, away: false, pid: this.#pid } });
    };
    const next = (): MemberAction => this.#next(name, id, membership.instanceId, reported);
    const release = async (over: readonly TopicPartition[]): Promise<void> => {
      const description = assignmentsOf(this.#disk.group(name).state, id);
      if (description !== undefined) this.#disk.step(name, { type: 'release', id, keeps: keepsWithout(description, over) });
    };
    if (ended.aborted) return;
    enter();
    try {
      while (!ended.aborted) {
        const action = next();
        if (action.type === 'join') enter();
        else if (action.type === 'release') this.#disk.step(name, { type: 'release', id, keeps: action.keeps });
        else if (action.type === 'wait') await this.#until(() => next().type !== 'wait', Infinity, ended);
        else if (action.type === 'replaced') throw replacedError(name, membership.instanceId);
        else {
          reported = action.partitions;
          yield { group: name, partitions: reported, release };
        }
      }
    } finally {
      this.#members.delete(id);
      this.#disk.step(name, { type: 'leave', id });
    }
  }
  #next(name: string, id: string, instanceId: string | undefined, reported: readonly AssignedPartition[] | undefined): MemberAction {
    const { state } = this.#disk.group(name);
    const description = assignmentsOf(state, id);
    if (description !== undefined) return nextAction(reported, { isIn: true, ...description });
    return nextAction(reported, { isIn: false, replaced: instanceId !== undefined && state.members.some((member) => member.instanceId === instanceId) });
  }

  async fetch(from: Position, limit: { readonly bytes: number; readonly waitMs: number }, signal: AbortSignal): Promise<RecordBatch> {
    this.#checkOpen();
    const { topic, partition: number, offset } = from;
    const partition = this.#disk.partition(topic, number);
    if (offset === partition.end) {
      await this.#until(() => partition.end > offset, limit.waitMs, signal);
      this.#checkOpen();
    }
    return { topic, partition: number, from: offset, ...this.#disk.fetch(from, limit.bytes) };
  }

  async offsets(partitions: readonly TopicPartition[], at: OffsetAt): Promise<readonly Position[]> {
    this.#checkOpen();
    return partitions.map(({ topic, partition }) => ({ topic, partition, offset: this.#disk.offset(topic, partition, at) }));
  }

  async committed(group: string, partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    this.#checkOpen();
    return partitions.map(({ topic, partition }) => ({ topic, partition, offset: this.#disk.position(group, topic, partition) }));
  }

  async store(part: StorePart): Promise<StateStore> {
    this.#checkOpen();
    return this.#disk.openStore(part);
  }

  async producer(name: string, held?: ProducerIncarnation): Promise<ProducerIncarnation> {
    this.#checkOpen();
    return this.#disk.producer(name, held);
  }

  async commit(commit: NumberedCommit): Promise<Committed> {
    this.#checkOpen();
    const receipt = this.#disk.commit(commit);
    return { offsets: receipt.offsets, durable: this.#disk.durable(receipt) };
  }

  async deleteRecords(before: readonly Position[]): Promise<readonly Position[]> {
    this.#checkOpen();
    return this.#disk.deleteRecords(before);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    for (const [id, name] of this.#members) this.#disk.step(name, { type: 'leave', id });
  }

  /** Waits until the condition holds, the time is up, the signal is aborted, or the log is closed. */
  async #until(isSo: () => boolean, ms: number, signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const any = AbortSignal.any([signal, this.#closing.signal, ended.signal]);
    let over = ms <= 0;
    const giveUp = this.#clock.after(ms, any).then(() => {
      over = true;
    });
    while (!over && !any.aborted && !isSo()) await this.#disk.nextChange(giveUp);
    ended.abort();
  }
  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw new StoplogError('STOPLOG_LOG_UNAVAILABLE', {}, 'the log is closed: open it again');
  }
}
