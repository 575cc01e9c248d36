/**
 * The row of an owner in `stoplog_positions`: which group, sink, topic and partition it writes for, the newest owner's epoch, and the position.
 *
 * Each transaction compares the epoch first. An owner that was replaced while it slept writes nothing more.
 */
import { StoplogError } from '@stoplog/core';
import { partitionName } from '@stoplog/core/kit';
import type { SinkStart } from '@stoplog/core/port';

export class Owner {
  readonly sink: string;
  readonly start: SinkStart;
  /** The topic partition by name, such as `orders[3]`: a part of every version. */
  readonly place: string;

  constructor(sink: string, start: SinkStart) {
    this.sink = sink;
    this.start = start;
    this.place = partitionName(start);
  }
  /** The row's key, in the order of its columns: group, sink, topic, partition. */
  get row(): readonly [string, string, string, number] {
    const { group, topic, partition } = this.start;
    return [group, this.sink, topic, partition];
  }
  /** Refuses a row that is another owner's, or gone. */
  check(epoch: bigint | number | undefined): void {
    if (epoch === undefined) throw new Error(`the row of ${this.place} in stoplog_positions was deleted while the sink was open`);
    if (Number(epoch) !== this.start.epoch) throw this.fenced(epoch);
  }
  fenced(current: bigint | number | undefined): StoplogError {
    const { sink, place } = this;
    const { group, epoch } = this.start;
    return new StoplogError(
      'STOPLOG_FENCED',
      { sink, group, place, epoch, current: current === undefined ? undefined : Number(current) },
      `sink '${sink}' was opened for ${place} by a newer owner of group '${group}', and this one writes nothing more. If there is none, the log is another than before, and its epochs begin again: see "A new log for an old table" in the guide about writing to other stores`,
    );
  }
}
