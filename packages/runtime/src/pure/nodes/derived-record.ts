/**
 * A record that a verb made from another: it has its own value, and the other's key, timestamp, headers and offset.
 */
import type { Header } from '@stoplog/core';
import type { AnyRecord } from './record.ts';

export class DerivedRecord implements AnyRecord {
  /** The record that was read; its key, time and place are this one's. */
  readonly origin: AnyRecord;
  readonly value: unknown;
  readonly timestamp: number;

  constructor(from: AnyRecord, value: unknown) {
    this.origin = from instanceof DerivedRecord ? from.origin : from;
    this.value = value;
    this.timestamp = from.timestamp;
  }
  get key(): unknown {
    return this.origin.key;
  }
  get headers(): readonly Header[] {
    return this.origin.headers;
  }
  get offset(): bigint {
    return this.origin.offset;
  }
  get topic(): string {
    return this.origin.topic;
  }
  get partition(): number {
    return this.origin.partition;
  }
}
