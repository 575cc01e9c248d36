/** The bytes that a cleaning freed and kept, in lines for people and as data for programs. */
import type { Cleaned } from '@stoplog/core/tools';
import { grouped } from '@stoplog/runtime/kit';
import { columns } from './columns.ts';
import { offsetData } from './json-text.ts';

export const cleanedLines = (cleaned: readonly Cleaned[]): string => {
  const rows = cleaned.map(({ topic, partition, startBefore, start, dropped, bytesBefore, bytes }) => [
    topic,
    String(partition),
    start === startBefore ? String(start) : `${startBefore} → ${start}`,
    grouped(dropped),
    grouped(bytesBefore - bytes),
    grouped(bytes),
  ]);
  const freed = cleaned.reduce((sum, { bytesBefore, bytes }) => sum + bytesBefore - bytes, 0);
  const kept = cleaned.reduce((sum, { bytes }) => sum + bytes, 0);
  const lines = columns([['TOPIC', 'PARTITION', 'START', 'COMPACTED', 'BYTES FREED', 'BYTES KEPT'], ...rows], [1, 3, 4, 5]);
  return [...lines, '', `${grouped(freed)} bytes freed, ${grouped(kept)} kept`].map((line) => `${line}\n`).join('');
};

export const cleanedData = ({ topic, partition, startBefore, start, dropped, kept, bytesBefore, bytes }: Cleaned): unknown => ({
  topic,
  partition,
  startBefore: offsetData(startBefore),
  start: offsetData(start),
  recordsDropped: dropped,
  recordsKept: kept,
  freedBytes: bytesBefore - bytes,
  keptBytes: bytes,
});
