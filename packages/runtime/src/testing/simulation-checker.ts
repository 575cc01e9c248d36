/**
 * Checks the log whenever commits have become durable, and reports records that are lost, doubled, torn or out of order.
 *
 * Every commit is compared with a reference that processes the same records, read again from the log, with the same task: outputs and
 * store writes must be the same bytes. The records of a task's commits, in order, must be all records of its inputs, each once.
 * Acknowledged commits must be in the log, and nothing else.
 */
import { isStoplogError } from '@stoplog/core';
import type { Commit } from '@stoplog/core/port';
import { partitionName } from '@stoplog/core/kit';
import type { MemoryChange, MemoryDisk, MemoryGroupState } from '@stoplog/core/testing';
import type { Plan, Task } from '../pure/topology/plan.ts';
import type { Sent } from './simulated-actor.ts';
import { handledBy } from './simulated-process.ts';
import { Reference, type Expected } from './simulation-reference.ts';
import { differenceOf, latin, textOf, textOfExpected, textOfPart, textsIn, type RecordText } from './simulation-texts.ts';

/** A broken promise, without the seed and the steps, which `simulate` adds. */
export class Broken extends Error {
  override readonly name: string = 'Broken';
}

interface Watched {
  readonly task: Task;
  readonly partition: number;
  readonly reference: Reference;
  readonly positions: Map<string, bigint>;
  /** All commits of the task, to be repeated when two runs differ. */
  readonly history: Sent[];
}

export class Checker {
  readonly #plan: Plan;
  readonly #log: MemoryDisk;
  readonly #watched = new Map<string, Watched>();
  readonly #readers = new Map<string, Watched>();
  /** The checked batches of each partition, and the offset after them. */
  readonly #seen = new Map<string, { batches: number; next: bigint }>();
  #group: MemoryGroupState | undefined;
  /** The number of durable input records. */
  fed = 0;
  commits = 0;

  constructor(plan: Plan, log: MemoryDisk) {
    this.#plan = plan;
    this.#log = log;
    for (const task of plan.tasks) {
      if (task.source !== undefined) continue;
      for (let partition = 0; partition < task.partitions; partition++) {
        const watched: Watched = { task, partition, reference: new Reference(plan, task, partition, log), positions: new Map(), history: [] };
        this.#watched.set(`${task.id}:${partition}`, watched);
        for (const { topic } of task.inputs) this.#readers.set(`${partition}:${topic.name}`, watched);
      }
    }
  }

  /** Checks a commit that was acknowledged to its actor. */
  heard({ commit, by }: Sent): void {
    for (const { topic, partition, to } of commit.positions) {
      if (this.#log.position(this.#plan.name, topic, partition) < to)
        throw new Broken(
          `lost: actor ${by.name} received an acknowledgement for its commit up to ${topic}[${partition}] ${to}, but the group is at ${this.#log.position(this.#plan.name, topic, partition)}`,
        );
    }
  }
  /** Checks all changes, which are durable now; `entries` are the newest. */
  flushed(entries: readonly MemoryChange[]): void {
    for (const entry of entries) {
      if (entry.group !== undefined) this.#regroup(entry.group);
      if (entry.commit !== undefined) this.#commit(entry);
    }
    for (const [topic, { partitions }] of this.#log.topics) {
      partitions.forEach(({ batches }, partition) => {
        const seen = this.#seen.get(`${partition}:${topic}`)?.batches ?? 0;
        if (batches.length !== seen)
          throw new Broken(`${batches.length > seen ? 'doubled' : 'lost'}: ${topic}[${partition}] holds ${batches.length} batches, and ${seen} were committed`);
      });
    }
    for (const { commit } of entries) {
      if (commit === undefined || commit.group === '') continue;
      for (const { topic, partition } of commit.positions) this.#samePosition(topic, partition);
      this.#sameEntries(commit);
    }
  }
  /** Checks at the end that the group has passed every record of every input. */
  finished(): void {
    for (const watched of this.#watched.values()) {
      const { task, partition, reference } = watched;
      for (const [store, part] of reference.stores) {
        if (textOfPart(part) !== textOfPart(this.#log.part(store, partition)))
          throw this.#blame(watched, `torn: partition ${partition} of store '${store}' differs from the result of its records`);
      }
      for (const { topic } of task.inputs) {
        const left = reference.head(topic.name);
        if (left !== undefined) throw new Broken(`lost: ${topic.name}[${partition}] offset ${left.offset} was never handled by task ${task.id}`);
      }
    }
  }

  #regroup(group: MemoryGroupState): void {
    const before = this.#group?.epoch ?? 0;
    if (group.epoch < before) throw new Broken(`two owners: epoch ${group.epoch} came after epoch ${before}`);
    this.#group = group;
  }
  #commit({ commit, receipt }: MemoryChange): void {
    this.commits++;
    const { appends, group, epoch, positions } = commit!;
    const kept = appends.map(({ topic, partition }, i) => this.#nextBatch(topic, partition, receipt.offsets[i]!));
    if (group === '') {
      for (const { records } of kept) this.fed += records.length;
      return;
    }
    for (const place of positions) {
      const held = this.#group?.held.get(partitionName(place));
      if (held?.epoch !== epoch)
        throw new Broken(
          `two owners: a commit of epoch ${epoch} moved ${partitionName(place)}, which ${held === undefined ? 'no member held' : `was held in ${held.epoch}`}`,
        );
    }
    const sent = handledBy.get(commit!);
    if (sent === undefined) throw new Broken('invariant broken: a commit that no actor sent');
    const watched = this.#watched.get(sent.by.name)!;
    for (const { topic, partition, from, to } of positions) {
      const stood = watched.positions.get(topic) ?? 0n;
      if (from !== stood)
        throw new Broken(
          `${from < stood ? 'doubled' : 'lost'}: actor ${sent.by.name} resumed in ${topic}[${partition}] from ${from}, but the group was at ${stood}`,
        );
      watched.positions.set(topic, to);
    }
    const expected = this.#again(watched, watched.reference, sent);
    watched.history.push(sent);
    const difference = differenceOf(
      expected,
      sent,
      kept.flatMap(({ topic, partition, records }) => records.map((record) => textOf(topic, partition, record))),
    );
    if (difference !== undefined)
      throw this.#blame(
        watched,
        `torn: the commit of actor ${sent.by.name} up to ${positions.map(({ topic, partition, to }) => `${topic}[${partition}] ${to}`).join(', ')} ${difference}`,
      );
  }
  /** Processes a commit's records with a reference. */
  #again({ task, partition, positions }: Watched, reference: Reference, { handled, by }: Sent): Expected {
    for (const one of handled) {
      const head = 'tick' in one ? undefined : reference.head(one.topic);
      if (!('tick' in one) && head?.offset !== one.offset) {
        const [what, where] = head === undefined || one.offset < head.offset ? ['doubled', one.offset] : ['lost', head.offset];
        throw new Broken(
          `${what}: ${one.topic}[${partition}] offset ${where}; actor ${by.name} handled ${one.offset} where ${head?.offset ?? 'nothing'} was next`,
        );
      }
      try {
        reference.handle(one);
      } catch (error) {
        const where = 'tick' in one ? `the tick at ${one.tick} ms` : `${one.topic}[${partition}] offset ${one.offset}`;
        throw new Broken(
          `not deterministic: a function of task ${task.id} throws at ${where} (${error instanceof Error ? error.message : String(error)}), where it did not before. ${REMEDY}`,
          { cause: error },
        );
      }
    }
    if (reference === this.#watched.get(by.name)?.reference) {
      for (const { topic } of task.inputs) {
        const reached = positions.get(topic.name) ?? 0n;
        const head = reference.head(topic.name);
        if (head !== undefined && head.offset < reached)
          throw new Broken(`lost: ${topic.name}[${partition}] offset ${head.offset} was never handled, but the group is at ${reached}`);
      }
      const last = handled.findLast((one) => !('tick' in one) && one.offset >= (positions.get(one.topic) ?? 0n));
      if (last !== undefined && !('tick' in last))
        throw new Broken(
          `doubled: ${last.topic}[${partition}] offset ${last.offset} is committed, but the group is at ${positions.get(last.topic) ?? 0n} and will read it again`,
        );
    }
    return reference.commit();
  }
  /** Decides whether the log and the actors are wrong, or the functions are not deterministic. */
  #blame(watched: Watched, what: string): Broken {
    const { task, partition, history } = watched;
    const run = (): string => {
      const reference = new Reference(this.#plan, task, partition, this.#log);
      return history
        .map(({ handled }) => {
          for (const one of handled) reference.handle(one);
          return textOfExpected(reference.commit());
        })
        .join('\n');
    };
    try {
      if (run() === run()) return new Broken(what);
    } catch (error) {
      if (isStoplogError(error) && error.code.startsWith('STOPLOG_LOG_')) throw error;
    }
    return new Broken(`not deterministic: the functions of task ${task.id} have another output for the same records each time. ${REMEDY}`);
  }
  /** The next batch of a partition, which must be at that offset. */
  #nextBatch(topic: string, partition: number, base: bigint): { readonly topic: string; readonly partition: number; readonly records: readonly RecordText[] } {
    const name = `${partition}:${topic}`;
    let seen = this.#seen.get(name);
    if (seen === undefined) this.#seen.set(name, (seen = { batches: 0, next: 0n }));
    const kept = this.#log.partition(topic, partition).batches[seen.batches++];
    if (kept === undefined) throw new Broken(`lost: ${topic}[${partition}] has no batch at offset ${base}, which was committed there`);
    if (kept.base !== base) throw new Broken(`doubled: ${topic}[${partition}] holds a batch at offset ${kept.base}, where one at ${base} was committed`);
    if (kept.base < seen.next) throw new Broken(`out of order: ${topic}[${partition}] gives offset ${kept.base} again; ${seen.next} was next`);
    seen.next = kept.next;
    return { topic, partition, records: textsIn(kept.bytes) };
  }
  #samePosition(topic: string, partition: number): void {
    const watched = this.#readers.get(`${partition}:${topic}`);
    const [stands, expected] = [this.#log.position(this.#plan.name, topic, partition), watched?.positions.get(topic) ?? 0n];
    if (stands !== expected)
      throw new Broken(`${stands < expected ? 'doubled' : 'lost'}: the group is at ${topic}[${partition}] ${stands}, and has committed up to ${expected}`);
  }
  #sameEntries(commit: Commit): void {
    const watched = this.#watched.get(handledBy.get(commit)!.by.name)!;
    for (const { store, partition, keys } of commit.stores) {
      const [expected, actual] = [watched.reference.stores.get(store)!, this.#log.part(store, partition)];
      const key = keys.find((bytes) => latin(expected.get(bytes) ?? null) !== latin(actual.get(bytes) ?? null));
      if (key !== undefined)
        throw this.#blame(
          watched,
          `torn: key ${latin(key)} of store '${store}' is ${latin(actual.get(key) ?? null)} in the log, and ${latin(expected.get(key) ?? null)} by its records`,
        );
    }
  }
}

const REMEDY =
  'Let nothing in a verb depend on the time, on chance, or on state outside its store: a record may be handled more than once before it is committed';
