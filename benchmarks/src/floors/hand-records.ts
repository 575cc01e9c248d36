/** Records that a floor reads, and values that it puts, each with its checksum. */
import { crc32 } from 'node:zlib';
import { partitionOf } from '@stoplog/core';
import { HandBatch } from './hand-batch.ts';
import { logKey, openHandEnv } from './hand-env.ts';

/** Appends the records, each to its key's partition. */
export const fillPartitions = async (
  folder: string,
  partitions: number,
  records: Iterable<{ readonly key: string; readonly value: Uint8Array }>,
): Promise<void> => {
  const env = openHandEnv(folder, false);
  const parts = Array.from({ length: partitions }, () => ({ batch: new HandBatch(), first: 0 }));
  const put = (partition: number): void => {
    const part = parts[partition]!;
    const { count } = part.batch;
    if (count === 0) return;
    env.log.putSync(logKey(partition, part.first), part.batch.finish());
    part.first += count;
  };
  env.transaction(() => {
    for (const { key, value } of records) {
      const keyBytes = Buffer.from(JSON.stringify(key));
      const partition = partitionOf(keyBytes, partitions);
      parts[partition]!.batch.add(keyBytes, value, 1_700_000_000_000);
      if (parts[partition]!.batch.full) put(partition);
    }
    parts.forEach((_, partition) => put(partition));
  });
  await env.close();
};

/** The value as text, followed by the checksum of key and value. */
export const sealed = (key: Buffer, text: string): Buffer => {
  const bytes = Buffer.allocUnsafe(text.length + 4);
  bytes.write(text, 'latin1');
  bytes.writeUInt32LE(crc32(bytes.subarray(0, text.length), crc32(key)), text.length);
  return bytes;
};
