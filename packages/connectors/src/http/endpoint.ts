/** The endpoint of a sink: its settings with their defaults, as functions of a record. */
import type { SinkRecord } from '@stoplog/core/port';
import type { Versioning } from './pure/answer.ts';

/** A request that the target refused for good. */
export interface Refusal {
  readonly record: SinkRecord;
  readonly status: number;
  readonly body: string;
}
export interface Endpoint {
  readonly sink: string;
  readonly versioning: Versioning;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly url: (record: SinkRecord) => string | URL;
  readonly method: (record: SinkRecord) => string;
  readonly headers: (record: SinkRecord) => Readonly<Record<string, string>>;
  readonly body: (record: SinkRecord) => string | Uint8Array | undefined;
  readonly refused: ((refusal: Refusal) => 'skip' | 'fail') | undefined;
}
