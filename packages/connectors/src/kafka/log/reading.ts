/**
 * Reads partitions: committed records only, over control batches and aborted transactions.
 */
import { setTimeout as after } from 'node:timers/promises';
import type { KafkaRecord } from '../client.ts';
import { timestampOf } from './pure/batches.ts';
import { visibleOf, type Visible } from './pure/visible.ts';
import type { Requests } from './requests.ts';

/** For how long the broker may hold a request: a fetch that was aborted keeps its connection until then. */
const WAIT_MS_MAX = 500;
/** The size of one answer, where a partition is read whole. */
const CHUNK_BYTES = 1 << 20;

export interface FetchLimit {
  readonly bytes: number;
  readonly waitMs: number;
}

export class Reading {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Batches from an offset on, as soon as there is one; none when `waitMs` ran out or the signal was aborted. */
  async batches(topic: string, partition: number, from: bigint, { bytes, waitMs }: FetchLimit, signal: AbortSignal): Promise<Visible> {
    const until = performance.now() + waitMs;
    let next = from;
    for (let left = waitMs; !signal.aborted; left = until - performance.now()) {
      const answer = await orAborted(this.#requests.fetch(topic, partition, next, bytes, Math.max(0, Math.min(WAIT_MS_MAX, left))), signal);
      if (answer === undefined) break;
      const visible = visibleOf(answer, next);
      next = visible.next;
      if (visible.batches.length > 0 || left <= 0) return { batches: visible.batches, next };
    }
    return { batches: [], next };
  }

  /** Every record from an offset to the end; `reached` is called with where to go on. */
  async *records(topic: string, partition: number, from: bigint, reached: (next: bigint) => void): AsyncGenerator<KafkaRecord> {
    const end = await this.#requests.end(topic, partition);
    for (let next = from; next < end;) {
      const answer = visibleOf(await this.#requests.fetch(topic, partition, next, CHUNK_BYTES, 0), next);
      for (const batch of answer.batches) {
        for (const record of batch.records) if (batch.firstOffset + BigInt(record.offsetDelta) >= next) yield record;
      }
      next = answer.next;
      reached(next);
    }
  }

  /** The first record at or after a time; the end, where there is none. */
  async at(topic: string, partition: number, time: number): Promise<bigint> {
    const end = await this.#requests.end(topic, partition);
    // The broker also finds control batches, which have the time of their commit, and aborted records: its answer is where to begin looking.
    // It takes some negative times for questions of another kind.
    const found = await (time < 0 ? this.#requests.start(topic, partition) : this.#requests.offset(topic, partition, BigInt(Math.ceil(time))));
    for (let next = found; next >= 0n && next < end;) {
      const visible = visibleOf(await this.#requests.fetch(topic, partition, next, CHUNK_BYTES, 0), next);
      for (const batch of visible.batches) {
        const offsetOf = ({ offsetDelta }: KafkaRecord): bigint => batch.firstOffset + BigInt(offsetDelta);
        const first = batch.records.find((record) => offsetOf(record) >= next && timestampOf(batch, record) >= time);
        if (first !== undefined) return offsetOf(first);
      }
      next = visible.next;
    }
    return end;
  }
  /** Resolves when everything below an offset is committed or aborted, and is seen. */
  async untilVisible(topic: string, partition: number, offset: bigint): Promise<void> {
    for (let delay = 1; (await this.#requests.end(topic, partition)) < offset; delay = Math.min(20, delay * 2)) await after(delay);
  }
}

/** The answer, or undefined as soon as the signal is aborted. */
const orAborted = async <T>(answer: Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
  let end = (): void => {};
  const aborted = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
    signal.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
    answer.catch(() => {});
  }
};
