/** The topics of append and scan: one partition, so that neither side hashes. */
import { topic } from '@stoplog/core';
import { z } from 'zod';

const Bytes = z.instanceof(Uint8Array);
export const raw = topic('raw', { key: Bytes, value: Bytes, partitions: 1, codec: { key: 'bytes', value: 'bytes' } });

export const ReadingSchema = z.object({
  sensor: z.string(),
  at: z.int(),
  celsius: z.number(),
  ok: z.boolean(),
  site: z.enum(['north', 'south']),
  seq: z.int(),
});
export const readings = topic('readings', { key: z.string(), value: ReadingSchema, partitions: 1 });
