/** The log's own retention and compaction, as `stoplog topics describe` shows it. */
import type { PartitionCleaning } from '@stoplog/core/tools';
import { agoText, freedBytes, grouped, secondsText, sizeText } from '@stoplog/runtime/kit';
import { offsetData } from './json-text.ts';

export const CLEANING_HEADINGS: readonly string[] = ['BYTES', 'NEW', 'CLEANED', 'FREED', 'NEXT'];

/** Bytes, dirty ratio, time and freed bytes of the last cleaning, and time until the next. */
export const cleaningCells = ({ bytes, dirtyRatio, last, dueAt }: PartitionCleaning, now: number): readonly string[] => [
  grouped(bytes),
  dirtyRatio === undefined ? '–' : `${Math.round(100 * dirtyRatio)} %`,
  last === undefined ? 'never' : agoText(last.at, now),
  last === undefined ? '–' : sizeText(freedBytes(last)),
  dueAt === undefined ? '–' : dueAt <= now ? 'now' : `in ${secondsText((dueAt - now) / 1000)}`,
];

export const cleaningData = ({ dirtyBytes, dirtyRatio, dueAt, last, failure }: PartitionCleaning): unknown => ({
  dirtyBytes: dirtyBytes ?? null,
  dirtyRatio: dirtyRatio ?? null,
  nextDueAt: dueAt === undefined ? null : new Date(dueAt).toISOString(),
  last:
    last === undefined
      ? null
      : {
          at: new Date(last.at).toISOString(),
          tookMs: last.tookMs,
          startBefore: offsetData(last.startBefore),
          start: offsetData(last.start),
          recordsDropped: last.dropped,
          recordsKept: last.kept,
          freedBytes: freedBytes(last),
          keptBytes: last.bytes,
        },
  failure: failure === undefined ? null : { ...failure, at: new Date(failure.at).toISOString(), retryAt: new Date(failure.retryAt).toISOString() },
});
