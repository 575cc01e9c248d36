/**
 * The module that a `LogRef` on Kafka names. Each thread opens a log of its own: it learns the fences of its commits from the cluster,
 * so a link carries nothing. There are no tools yet.
 */
import type { Log, LogLink } from '@stoplog/core/port';
import { openKafkaLog, type KafkaLogOptions } from './log.ts';

/** `options` come from the ref, as data from another thread. */
export const open = (options: unknown): Promise<Log> => Promise.resolve(openKafkaLog(options as KafkaLogOptions));
export const share = (): Promise<LogLink> => Promise.resolve({ data: undefined, transfer: [] });
