/** Copies records in eight partitions that two processes share. */
import { topic } from '@stoplog/core';
import { pipeline, stream } from '@stoplog/runtime';
import { z } from 'zod';

const Key = z.string();
export const PARTITIONS = 8;
export const incoming = topic('incoming', { key: Key, value: z.int(), partitions: PARTITIONS });
export const copied = topic('copied', { key: Key, value: z.int(), partitions: PARTITIONS });

export default pipeline('rolling', stream(incoming).to(copied));
