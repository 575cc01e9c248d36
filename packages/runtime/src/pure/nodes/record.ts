/** A record as nodes see it, without the types of key and value: only the faces of a pipeline have them. */
import type { LogRecord } from '@stoplog/core';

export type AnyRecord = LogRecord<unknown, unknown>;
