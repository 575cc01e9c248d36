/**
 * The stream time of a task at a partition: the largest timestamp of a record that it has taken. Never falls.
 *
 * A task whose verbs ask for stream time keeps it in a store of its own, written in the same commit as the positions: an actor that
 * starts at the last commit has the stream time of that commit, so windows that were closed stay closed. Tasks without such verbs keep
 * none. See decision 0029.
 */
import type { StateStore, StorePart } from '@stoplog/core/port';
import type { Plan, Task } from '../topology/plan.ts';
import type { Writes } from './overlay.ts';

/** Named after a topic that the task reads: no other task reads it, and the task's number changes with the pipeline. */
export const streamTimePart = (plan: Plan, task: Task, partition: number): StorePart => ({
  store: `time:${task.inputs.map(({ topic }) => topic.name).toSorted()[0]}@${plan.name}`,
  partition,
  group: plan.name,
  version: 1,
  fingerprint: 'stream-time',
});

export class StreamTime {
  readonly store: string;
  #time: number;
  #committed: number;

  constructor({ store }: StorePart, below: StateStore) {
    this.store = store;
    const bytes = below.get(KEY);
    this.#time = bytes === undefined ? -Infinity : Number(Buffer.from(bytes).toString());
    this.#committed = this.#time;
  }

  /** The stream time; -Infinity before the first record. */
  get time(): number {
    return this.#time;
  }
  /** Takes a later time; an earlier one changes nothing. */
  reach(time: number): void {
    if (time > this.#time) this.#time = time;
  }
  /** The time, if it grew since the last call. */
  takeWrites(): Writes {
    if (this.#time === this.#committed) return { keys: [], values: [] };
    this.#committed = this.#time;
    return { keys: [KEY], values: [Buffer.from(String(this.#time))] };
  }
}
const KEY: Uint8Array = Buffer.from('time');
