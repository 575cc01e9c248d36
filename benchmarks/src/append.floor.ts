/**
 * The floor of append: this thread packs batches of 64 KB, a second one puts the arrived batches into one transaction and
 * flushes, with at most 4 MB in flight. Values are parsed and turned to JSON where ours are.
 */
import { once } from 'node:events';
import { ReadingSchema } from './append.topic.ts';
import { HandBatch } from './floors/hand-batch.ts';
import { logKey } from './floors/hand-env.ts';
import { packEntries, startHandWriter } from './floors/hand-writer.ts';
import { z } from 'zod';

const WINDOW_BYTES = 4 * 1024 * 1024;
const Key = z.string();

export interface RawRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}
export interface JsonRecord {
  readonly key: string;
  readonly value: unknown;
}

/** Opens the folder; returns a function that appends to it and one that closes it. */
export const openFloor = async (
  folder: string,
): Promise<{
  readonly bytes: (records: readonly RawRecord[]) => Promise<void>;
  readonly json: (records: readonly JsonRecord[]) => Promise<void>;
  readonly close: () => Promise<void>;
}> => {
  const writer = await startHandWriter(folder);
  const port = await writer.link();
  const batch = new HandBatch();
  const underWay: number[] = [];
  let offset = 0;
  let bytes = 0;
  port.on('message', () => {
    bytes -= underWay.shift() ?? 0;
  });
  const send = (): void => {
    const { count } = batch;
    if (count === 0) return;
    const commit = packEntries([{ table: 0, key: logKey(0, offset), value: batch.finish() }]);
    offset += count;
    bytes += commit.byteLength;
    underWay.push(commit.byteLength);
    port.postMessage(commit, [commit]);
  };
  const room = async (limit: number): Promise<void> => {
    while (bytes > limit) await once(port, 'message');
  };
  const append = async <R>(records: readonly R[], add: (record: R) => void): Promise<void> => {
    for (const record of records) {
      add(record);
      if (!batch.full) continue;
      send();
      if (bytes > WINDOW_BYTES) await room(WINDOW_BYTES);
    }
    send();
    await room(0);
  };
  return {
    bytes: (records) => append(records, ({ key, value }) => batch.add(key, value, Date.now())),
    json: (records) =>
      append(records, ({ key, value }) => batch.addText(JSON.stringify(Key.parse(key)), JSON.stringify(ReadingSchema.parse(value)), Date.now())),
    close: async () => {
      port.close();
      await writer.close();
    },
  };
};
