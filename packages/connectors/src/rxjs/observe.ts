/**
 * A topic as a cold Observable of batches: every subscriber reads for itself, from the position of `from`.
 *
 * The next batch is read when `next` has returned, so a subscriber that works synchronously sets the pace. A subscriber that
 * starts asynchronous work does not: `concatMap` would queue every batch of the topic in memory. Drop the records that may be
 * missed first (`auditTime`, `switchMap`), or read with `for await (const batch of log.read(topic, …))`, which waits.
 */
import type { LogClient, LogRecord, Origin, ReadOptions } from '@stoplog/core';
import { Observable } from 'rxjs';

export type ObserveOptions = Pick<ReadOptions, 'from' | 'until'>;

/**
 * The records of a topic, a batch at a time; the value of a deleted key is null. Unsubscribing ends the reading, and an error
 * of the reading is the Observable's error. Completes only with `until: 'end'`, or when the log's reading ends.
 *
 * @example
 * observe(log, orders, { from: 'latest' }).subscribe((batch) => console.log(batch.length));
 */
export const observe = <K, V>(log: LogClient, topic: Origin<K, V>, options: ObserveOptions): Observable<readonly LogRecord<K, V | null>[]> =>
  new Observable((subscriber) => {
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      for await (const batch of log.read(topic, { ...options, signal: stop.signal })) {
        if (subscriber.closed) return;
        subscriber.next(batch);
      }
      subscriber.complete();
    };
    read().catch((error: unknown) => subscriber.error(error));
    return () => stop.abort();
  });
