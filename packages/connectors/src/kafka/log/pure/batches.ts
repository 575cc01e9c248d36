/**
 * Kafka's batches as the runtime reads them, and the runtime's as records for Kafka.
 *
 * Both have a base offset, records with growing offsets that may skip, and a last offset that may be empty; so a batch of a
 * compacted topic keeps every offset. Records that are appended get consecutive offsets, also where the batch had gaps.
 */
import { StoplogError } from '@stoplog/core';
import { checkBatchShape, RecordsView } from '@stoplog/core/kit';
import type { RecordCursor } from '@stoplog/core/port';
import type { KafkaBatch, KafkaMessage, KafkaRecord } from '../../client.ts';

/** The broker stamped the batch when it took it in: its largest time is the time of each record. */
const APPEND_TIME = 0x08;

/** A record's time, as milliseconds since 1970. */
export const timestampOf = ({ attributes, firstTimestamp, maxTimestamp }: KafkaBatch, { timestampDelta }: KafkaRecord): number =>
  Number((attributes & APPEND_TIME) !== 0 ? maxTimestamp : firstTimestamp + timestampDelta);

export const viewOf = (batch: KafkaBatch, partition: number): RecordCursor => {
  const records = batch.records.map((record) => ({
    offsetDelta: record.offsetDelta,
    timestamp: timestampOf(batch, record),
    key: record.key,
    value: record.value,
    headers: record.headers.map(([name, value]) => ({ name: name?.toString() ?? '', value })),
  }));
  return new RecordsView(batch.firstOffset, partition, records, batch.lastOffsetDelta);
};

/** The records of a batch, checked whole: a damaged batch is `STOPLOG_LOG_CORRUPT`. */
export const messagesOf = (bytes: Uint8Array, topic: string, partition: number): readonly KafkaMessage[] => {
  const view = checkBatchShape(bytes);
  const messages: KafkaMessage[] = [];
  if (view.count === 0)
    throw new StoplogError('STOPLOG_USAGE', { topic, partition }, `a batch for ${topic}[${partition}] has no records: append one that has some`);
  while (view.next()) {
    messages.push({
      topic,
      partition,
      key: bufferOf(view.key()),
      value: bufferOf(view.value()),
      timestamp: BigInt(view.timestamp),
      headers: new Map(view.headers().map(({ name, value }) => [Buffer.from(name), bufferOf(value)])),
    });
  }
  return messages;
};

const bufferOf = (bytes: Uint8Array | null): Buffer | null => (bytes === null ? null : Buffer.from(bytes));
