/** A record as nodes see it: the types of key and value belong to the faces of a pipeline, and are gone here. */
import type { LogRecord } from '@stoplog/core';

export type AnyRecord = LogRecord<unknown, unknown>;
