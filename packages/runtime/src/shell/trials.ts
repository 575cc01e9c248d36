/**
 * Notes in the log where this process begins with its partitions, and removes the notes when it ends in order. A note that it finds is
 * of a process that died: trial.ts decides how to begin then.
 *
 * The notes of all partitions of an assignment are one commit, fenced as every commit of these partitions is. Without them the app runs as
 * well, so an error of the log here is none: it will show in the first commit of an actor.
 */
import type { Log, StoreWrites, TopicPartition } from '@stoplog/core/port';
import { encodeSortKey, isSource, notesPart } from '@stoplog/core/kit';
import type { Held } from '../pure/host/holdings.ts';
import { begin, type Beginning, type Note, type Trial } from '../pure/host/trial.ts';
import type { Unit } from '../pure/host/units.ts';

/** How an actor begins, and the next records of its unit. */
export interface Start {
  readonly beginning: Beginning;
  readonly trial: Trial;
  /** The positions that have records to read, those with the most first. */
  readonly next: readonly (TopicPartition & { readonly offset: bigint })[];
}

export class Trials {
  readonly #log: Log;
  readonly #group: string;
  readonly #program: string;
  /** The units with a note of this process. */
  readonly #noted = new Map<string, Held>();
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(log: Log, group: string, program: string) {
    this.#log = log;
    this.#group = group;
    this.#program = program;
  }

  /** Notes that this process begins with the units, and tells how; units that it has already begin as usual. */
  begin(units: readonly Held[]): Promise<ReadonlyMap<string, Start>> {
    return this.#inTurn(() => (this.#isClosed ? Promise.resolve(new Map<string, Start>()) : this.#begin(units)));
  }
  async #begin(units: readonly Held[]): Promise<ReadonlyMap<string, Start>> {
    const starts = new Map<string, Start>();
    const fresh = units.filter(({ unit }) => !this.#noted.has(unit.name));
    try {
      const rows: { readonly held: Held; readonly trial: Trial }[] = [];
      for (const held of fresh) {
        const { positions, next } = await this.#look(held);
        const part = await this.#log.store(notesPart(this.#group, held.unit.partition), NEVER);
        const found = part.get(keyOf(held));
        const at = positions.map(({ topic, offset }) => `${topic}:${offset}`).join(' ');
        const [trial, beginning] = begin(found && (JSON.parse(Buffer.from(found).toString()) as Trial), at, next.length > 0);
        starts.set(held.unit.name, { beginning, trial, next });
        rows.push({ held, trial });
      }
      await this.#write(rows.map(({ held, trial }) => ({ held, value: this.#note(trial) })));
      for (const { held } of rows) this.#noted.set(held.unit.name, held);
    } catch {
      // As if there were no notes.
    }
    return starts;
  }
  /** Notes that a suspect is tried now: the actor is launched afterwards. */
  async trying(held: Held, trial: Trial): Promise<void> {
    await this.#write([{ held, value: this.#note({ ...trial, state: 'tried' }) }]).catch(() => {});
  }
  /** Resolves when the suspect is past the records that it found, or past many of them, or after a while, or when `isOver`. */
  async isPast({ unit }: Held, isOver: () => boolean): Promise<void> {
    const ends = new Map(
      (
        await this.#log.offsets(
          unit.places.filter(({ topic }) => !isSource(topic)),
          'latest',
        )
      ).map(({ topic, offset }) => [topic, offset]),
    );
    const from = new Map((await this.#log.committed(this.#group, unit.places)).map(({ topic, offset }) => [topic, offset]));
    for (const since = performance.now(); performance.now() - since < LONGEST_TRIAL_MS && !isOver();) {
      const now = await this.#log.committed(this.#group, unit.places);
      if (now.every(({ topic, offset }) => offset >= least(ends.get(topic) ?? 0n, from.get(topic)! + CAREFUL_RECORDS))) return;
      await new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
  /** Removes the notes of units whose actors have ended in order. */
  end(names: Iterable<string>): Promise<void> {
    return this.#inTurn(() => this.#end(names));
  }
  /** The app ends in order: removes all notes, and makes no more. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#inTurn(() => this.#end([...this.#noted.keys()]));
  }
  /** One after the other: an assignment may come in while the app ends. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => {});
    return done;
  }
  async #end(names: Iterable<string>): Promise<void> {
    const ended = [...names].flatMap((name) => this.#noted.get(name) ?? []);
    for (const { unit } of ended) this.#noted.delete(unit.name);
    try {
      await this.#write(ended.map((held) => ({ held, value: null })));
    } catch {
      // Another process has the partitions, or the log takes no commits: the note is found, and says nothing about a record.
    }
  }

  /** The other programs that have partitions of the group now, each with the number of its units here. */
  async others(units: readonly Unit[]): Promise<ReadonlyMap<string, number>> {
    const others = new Map<string, number>();
    for (const unit of units) {
      if (this.#noted.has(unit.name)) continue;
      const found = (await this.#log.store(notesPart(this.#group, unit.partition), NEVER)).get(keyOf({ unit }));
      const program = found && (JSON.parse(Buffer.from(found).toString()) as Note).program;
      if (program !== undefined && program !== this.#program) others.set(program, (others.get(program) ?? 0) + 1);
    }
    return others;
  }

  #note(trial: Trial): Uint8Array {
    return Buffer.from(JSON.stringify({ ...trial, program: this.#program } satisfies Note));
  }
  async #look({ unit }: Held): Promise<{ readonly positions: readonly (TopicPartition & { readonly offset: bigint })[]; readonly next: Start['next'] }> {
    const positions = await this.#log.committed(this.#group, unit.places);
    const topics = unit.places.filter(({ topic }) => !isSource(topic));
    const ends = new Map((await this.#log.offsets(topics, 'latest')).map(({ topic, offset }) => [topic, offset]));
    const behind = ({ topic, offset }: { readonly topic: string; readonly offset: bigint }): bigint => (ends.get(topic) ?? offset + 1n) - offset;
    const next = positions.filter((position) => behind(position) > 0n).toSorted((a, b) => (behind(a) < behind(b) ? 1 : -1));
    return { positions, next };
  }
  async #write(rows: readonly { readonly held: Held; readonly value: Uint8Array | null }[]): Promise<void> {
    for (const epoch of new Set(rows.map(({ held }) => held.epoch))) {
      const ours = rows.filter(({ held }) => held.epoch === epoch);
      const stores = ours.map(({ held, value }): StoreWrites => {
        const { store, partition } = notesPart(this.#group, held.unit.partition);
        return { store, partition, keys: [keyOf(held)], values: [value] };
      });
      const places = ours.flatMap(({ held }) => held.unit.places);
      const positions = (await this.#log.committed(this.#group, places)).map(({ topic, partition, offset }) => ({
        topic,
        partition,
        from: offset,
        to: offset,
      }));
      await this.#log.commit({ group: this.#group, epoch, appends: [], stores, positions });
    }
  }
}
/** Records that a suspect takes one by one: more than were in progress when a process died, as a rule. */
export const CAREFUL_RECORDS = 10_000n;
const LONGEST_TRIAL_MS = 30_000;
const LOOK_MS = 20;
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const NEVER = new AbortController().signal;

/** By the topics of the unit: the number of a task changes with the pipeline. */
const keyOf = ({ unit }: { readonly unit: Unit }): Uint8Array => encodeSortKey(`trial ${unit.places.map(({ topic }) => topic).join(' ')}`);
