/**
 * Notes in the log which program works on each partition: this process notes its own, and finds those of others.
 *
 * A note is written when a partition is assigned, and removed when its actor has ended in order; all of an assignment are one commit, fenced
 * as every commit of these partitions is. A process that is killed leaves its notes, until another one takes its partitions. The app runs
 * as well without notes, so an error of the log here is none: it will show in the first commit of an actor.
 */
import type { Log, StoreWrites } from '@stoplog/core/port';
import { encodeSortKey, notesPart } from '@stoplog/core/kit';
import type { Held } from '../pure/host/holdings.ts';
import type { Unit } from '../pure/host/units.ts';
import { commitNotes } from './notes.ts';

export class Programs {
  readonly #log: Log;
  readonly #group: string;
  readonly #program: string;
  /** The units with a note of this process. */
  readonly #noted = new Map<string, Held>();
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(log: Log, group: string, program: string) {
    this.#log = log;
    this.#group = group;
    this.#program = program;
  }

  /** Notes that this program works on the units. */
  begin(units: readonly Held[]): Promise<void> {
    return this.#inTurn(async () => {
      const added = this.#isClosed ? [] : units.filter(({ unit }) => !this.#noted.has(unit.name));
      await this.#write(added, Buffer.from(this.#program));
      for (const held of added) this.#noted.set(held.unit.name, held);
    });
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
        const bytes = (await this.#log.store(notesPart(this.#group, unit.partition), NEVER)).get(keyOf(unit));
        if (bytes !== undefined) found.add(Buffer.from(bytes).toString());
      }
    } catch {
      // As if there were no notes.
    }
    found.delete(this.#program);
    return [...found].toSorted();
  }

  async #end(names: readonly string[]): Promise<void> {
    const ended = names.flatMap((name) => this.#noted.get(name) ?? []);
    for (const { unit } of ended) this.#noted.delete(unit.name);
    await this.#write(ended, null);
  }
  /** Runs the changes in turn: an assignment may come in while the app ends. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    return (this.#last = this.#last.then(act).catch(() => {}));
  }
  async #write(units: readonly Held[], value: Uint8Array | null): Promise<void> {
    for (const epoch of new Set(units.map((held) => held.epoch))) {
      const ours = units.filter((held) => held.epoch === epoch).map(({ unit }) => unit);
      const stores = ours.map((unit): StoreWrites => {
        const { store, partition } = notesPart(this.#group, unit.partition);
        return { store, partition, keys: [keyOf(unit)], values: [value] };
      });
      await commitNotes(this.#log, this.#group, epoch, ours, stores);
    }
  }
}
const NEVER = new AbortController().signal;

/** By the topics of the unit: the number of a task changes with the pipeline. */
const keyOf = ({ places }: Unit): Uint8Array => encodeSortKey(`program ${places.map(({ topic }) => topic).join(' ')}`);
