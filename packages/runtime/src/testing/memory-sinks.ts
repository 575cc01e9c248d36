/**
 * The sinks of a driven or simulated pipeline, in memory: the written records, and the position stored with them, as in a target
 * with transactions. The sinks of the pipeline are not opened.
 */
import { type Sink, StoplogError } from '@stoplog/core';
import type { SinkBatch, SinkRecord, SinkStart } from '@stoplog/core/port';
import type { SentRecord } from './driver.ts';

interface Kept {
  position: bigint | undefined;
  /** The newest owner that has opened it. */
  epoch: number;
}

export class MemorySinks {
  readonly #kept = new Map<string, Kept>();
  readonly #records = new Map<string, SinkRecord[]>();
  /** The number of records read of each sink. */
  readonly #read = new Map<string, number>();

  /** Opens a sink for an owner, and fences earlier owners; returns the stored position. */
  open(sink: string, start: SinkStart): bigint | undefined {
    const kept = this.#of(sink, start);
    kept.epoch = Math.max(kept.epoch, start.epoch);
    return kept.position;
  }
  write(sink: string, start: SinkStart, { records, position }: SinkBatch): void {
    const kept = this.#of(sink, start);
    if (start.epoch < kept.epoch)
      throw new StoplogError(
        'STOPLOG_FENCED',
        { sink, epoch: start.epoch, current: kept.epoch },
        `sink '${sink}' was opened by a newer owner: nothing of this was kept`,
      );
    kept.position = position;
    this.records(sink).push(...records);
  }
  /** Everything that was written to a sink, in order. */
  records(sink: string): SinkRecord[] {
    const records = this.#records.get(sink) ?? [];
    this.#records.set(sink, records);
    return records;
  }
  /** Records written since the last call. */
  written<K, V>({ name }: Sink<K, V>): SentRecord<K, V>[] {
    const records = this.records(name);
    const from = this.#read.get(name) ?? 0;
    this.#read.set(name, records.length);
    // The declared types of a sink are the types that its pipeline writes.
    return records.slice(from).map(({ key, value }) => ({ key, value }) as SentRecord<K, V>);
  }

  #of(sink: string, { topic, partition }: SinkStart): Kept {
    const name = `${sink} ${topic} ${partition}`;
    const kept = this.#kept.get(name) ?? { position: undefined, epoch: -1 };
    this.#kept.set(name, kept);
    return kept;
  }
}
