/**
 * Notes in the log which program works on each partition, and from where: this process notes its own, and finds those of others and of
 * processes that died.
 *
 * A note is written when a partition is assigned, and removed when its actor has ended in order; all of an assignment are one commit, fenced
 * as every commit of these partitions is. A process that is killed leaves its notes, until another one takes its partitions, and decides by
 * them how to begin (process-note.ts). The app runs as well without notes, so an error of the log here is none: it will show in the first
 * commit of an actor.
 */
import type { Log, Position, StoreWrites } from '@stoplog/core/port';
import { encodeSortKey, notesPart, partitionName } from '@stoplog/core/kit';
import type { Step } from '../pure/actor/careful.ts';
import type { Held } from '../pure/host/holdings.ts';
import { afterWait, again, atEnd, begin, beforeStep, waitMs, noteBytes, noteInBytes, type Beginning, type ProcessNote } from '../pure/host/process-note.ts';
import type { Unit } from '../pure/host/units.ts';
import { commitNotes } from './notes.ts';

interface Noted {
  held: Held;
  note: ProcessNote;
}

export class ProcessNotes {
  readonly #log: Log;
  readonly #group: string;
  readonly #program: string;
  /** The units with a note of this process. */
  readonly #noted = new Map<string, Noted>();
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(log: Log, group: string, program: string) {
    this.#log = log;
    this.#group = group;
    this.#program = program;
  }

  /** Notes that this process works on the units, and tells how their actors begin; those it names none for begin as usual. */
  begin(units: readonly Held[]): Promise<ReadonlyMap<string, Beginning>> {
    const beginnings = new Map<string, Beginning>();
    return this.#inTurn(async () => {
      const added = this.#isClosed ? [] : units;
      const positions = await this.#positionsOf(added.map(({ unit }) => unit));
      const begun: Noted[] = [];
      for (const held of added) {
        const { unit } = held;
        const from = positions.get(unit.name)!;
        const at = textOf(from);
        const sum = from.reduce((all, { offset }) => all + Number(offset), 0);
        const before = this.#noted.get(unit.name);
        if (before !== undefined) {
          // It was assigned before, in another epoch.
          before.held = held;
          beginnings.set(unit.name, again(before.note, sum));
          continue;
        }
        const found = await this.#find(unit);
        const behind = found === undefined ? 0n : await this.#behind(unit, from);
        const [note, beginning] = begin(found, { program: this.#program, at, sum, behind });
        begun.push({ held, note });
        beginnings.set(unit.name, beginning);
      }
      await this.#write(begun);
      for (const noted of begun) this.#noted.set(noted.held.unit.name, noted);
    }).then(() => beginnings);
  }
  /** Notes that a suspect is about to take these records; its actor has no commit under way. `isWanted` becomes false when it has ended. */
  async step(name: string, step: Step, isWanted: () => boolean): Promise<void> {
    const noted = this.#noted.get(name);
    if (noted === undefined) return;
    try {
      const positions = await this.#positionsOf([noted.held.unit]);
      noted.note = beforeStep(noted.note, textOf(positions.get(name)!), step);
      const began = performance.now();
      await this.#write([noted]);
      if (noted.note.step?.waits !== true) return;
      await after(waitMs(Math.random(), performance.now() - began));
      if (!isWanted()) return;
      noted.note = afterWait(noted.note);
      await this.#write([noted]);
    } catch {
      // The commit of the step will fail, too.
    }
  }
  /** Removes the notes of units whose actors have ended in order. */
  end(names: Iterable<string>): Promise<void> {
    return this.#inTurn(() => this.#end([...names]));
  }
  /** The app ends in order: removes all notes, and makes no more. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#inTurn(() => this.#end([...this.#noted.keys()]));
  }
  /** The other programs that are noted for units of the group, in their order. */
  async others(units: readonly Unit[]): Promise<readonly string[]> {
    const found = new Set<string>();
    try {
      for (const unit of units) {
        if (this.#noted.has(unit.name)) continue;
        const note = await this.#find(unit);
        if (note !== undefined && note.isOver !== true) found.add(note.program);
      }
    } catch {
      // As if there were no notes.
    }
    found.delete(this.#program);
    return [...found].toSorted();
  }

  async #end(names: readonly string[]): Promise<void> {
    const ended = names.flatMap((name) => this.#noted.get(name) ?? []);
    for (const { held } of ended) this.#noted.delete(held.unit.name);
    await this.#write(ended.map(({ held, note }) => ({ held, note: atEnd(note) })));
  }
  /** Runs the changes in turn: an assignment may come in while the app ends. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(act).catch(() => {});
    this.#last = done;
    return done;
  }
  async #find(unit: Unit): Promise<ProcessNote | undefined> {
    const bytes = (await this.#log.store(notesPart(this.#group, unit.partition), NEVER)).get(keyOf(unit));
    return bytes && noteInBytes(bytes);
  }
  /** The group's positions, by unit. */
  async #positionsOf(units: readonly Unit[]): Promise<ReadonlyMap<string, readonly Position[]>> {
    const all = await this.#log.committed(
      this.#group,
      units.flatMap(({ places }) => places),
    );
    const byPlace = new Map(all.map((position) => [partitionName(position), position]));
    return new Map(units.map(({ name, places }) => [name, places.map((place) => byPlace.get(partitionName(place))!)]));
  }
  /** A source has no records in the log: its actor is never suspect. */
  async #behind({ task, places }: Unit, from: readonly Position[]): Promise<bigint> {
    if (task.source !== undefined) return 0n;
    const ends = new Map((await this.#log.offsets(places, 'latest')).map((end) => [partitionName(end), end.offset]));
    return from.reduce((sum, position) => sum + (ends.get(partitionName(position)) ?? position.offset) - position.offset, 0n);
  }
  async #write(notes: readonly { readonly held: Held; readonly note: ProcessNote | undefined }[]): Promise<void> {
    for (const epoch of new Set(notes.map(({ held }) => held.epoch))) {
      const ours = notes.filter(({ held }) => held.epoch === epoch);
      const stores = ours.map(({ held: { unit }, note }): StoreWrites => {
        const { store, partition } = notesPart(this.#group, unit.partition);
        return { store, partition, keys: [keyOf(unit)], values: [note === undefined ? null : noteBytes(note)] };
      });
      const units = ours.map(({ held }) => held.unit);
      await commitNotes(this.#log, this.#group, epoch, units, stores);
    }
  }
}
/** A process that ends meanwhile does not stay for the rest of the time. */
const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
const NEVER = new AbortController().signal;
const textOf = (positions: readonly Position[]): string => positions.map(({ topic, offset }) => `${topic}:${offset}`).join(' ');

/** By the topics of the unit: the number of a task changes with the pipeline. */
const keyOf = ({ places }: Unit): Uint8Array => encodeSortKey(`process ${places.map(({ topic }) => topic).join(' ')}`);
