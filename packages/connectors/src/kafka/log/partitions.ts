/**
 * Partitions as the port has them: records by position, offsets by question, a start that moves up.
 */
import { StoplogError } from '@stoplog/core';
import type { OffsetAt, Position, RecordBatch, TopicPartition } from '@stoplog/core/port';
import { failedAs } from '../failures.ts';
import { viewOf } from './pure/batches.ts';
import type { FetchLimit, Reading } from './reading.ts';
import type { Requests } from './requests.ts';
import type { Topics } from './topics.ts';

export class Partitions {
  readonly #topics: Topics;
  readonly #requests: Requests;
  readonly #reading: Reading;

  constructor(topics: Topics, requests: Requests, reading: Reading) {
    [this.#topics, this.#requests, this.#reading] = [topics, requests, reading];
  }

  async fetch(from: Position, limit: FetchLimit, signal: AbortSignal): Promise<RecordBatch> {
    const { topic, partition, offset } = from;
    const { kafka } = await this.#topics.place(from);
    if (offset < 0n) throw await this.#outOfRange(from, kafka);
    const found = await this.#reading.batches(kafka, partition, offset, limit, signal).catch(async (error: unknown) => {
      throw failedAs(error, 'OFFSET_OUT_OF_RANGE') ? await this.#outOfRange(from, kafka) : error;
    });
    return { topic, partition, from: offset, next: found.next, batches: found.batches.map((batch) => viewOf(batch, partition)) };
  }

  async offsets(partitions: readonly TopicPartition[], at: OffsetAt): Promise<readonly Position[]> {
    return Promise.all(
      partitions.map(async ({ topic, partition }) => {
        const { kafka } = await this.#topics.place({ topic, partition });
        const [reading, requests] = [this.#reading, this.#requests];
        const offset =
          typeof at === 'object'
            ? await reading.at(kafka, partition, at.time)
            : await (at === 'earliest' ? requests.start(kafka, partition) : requests.end(kafka, partition));
        return { topic, partition, offset };
      }),
    );
  }

  async deleteRecords(before: readonly Position[]): Promise<readonly Position[]> {
    const found = await Promise.all(
      before.map(async (position) => {
        const place = await this.#topics.place(position);
        const [start, end] = await this.#requests.ends(place.kafka, place.partition);
        if (position.offset < 0n || position.offset > end) throw await this.#outOfRange(position, place.kafka);
        return { place, start };
      }),
    );
    return Promise.all(
      before.map(async ({ topic, partition, offset }, i) => {
        const { place, start } = found[i]!;
        return { topic, partition, offset: offset <= start ? start : await this.#requests.deleteBefore(place.kafka, partition, offset) };
      }),
    );
  }

  async #outOfRange({ topic, partition, offset }: Position, kafka: string): Promise<StoplogError> {
    const [start, end] = await this.#requests.ends(kafka, partition);
    return new StoplogError(
      'STOPLOG_OFFSET_OUT_OF_RANGE',
      { topic, partition, offset, start, end },
      `${topic}[${partition}] holds the offsets ${start} to ${end}, and ${offset} lies outside: read from 'earliest', 'latest' or an offset between`,
    );
  }
}
