/**
 * The records that handlers get: the key, value and headers that a record returns are frozen, or a copy.
 *
 * `InputRecord` was read from a topic. `DerivedRecord` was made by a verb: it has its own value, and everything else from the record that
 * was read.
 */
import type { Header } from '@stoplog/core';
import { LazyRecord, NO_HEADERS } from '@stoplog/core/kit';
import type { AnyRecord } from './record.ts';
import { sharedValue } from './shared-value.ts';

export class InputRecord extends LazyRecord {
  /** The value was found frozen: the next reader gets it without another walk. */
  private isShared: boolean = false;

  override get key(): unknown {
    const key = super.key;
    return typeof key === 'object' ? sharedValue(key) : key;
  }
  override get value(): unknown {
    const value = super.value;
    if (typeof value !== 'object' || this.isShared) return value;
    const shared = sharedValue(value);
    this.isShared = shared === value;
    return shared;
  }
  override get headers(): readonly Header[] {
    return sharedHeaders(super.headers);
  }
}

export class DerivedRecord implements AnyRecord {
  /** The record that was read; this record has the same key, timestamp, partition and offset. */
  readonly origin: AnyRecord;
  /** The value as the verb returned it; read only by code that encodes the value at once. */
  readonly made: unknown;
  private isShared: boolean = false;

  constructor(from: AnyRecord, value: unknown) {
    this.origin = from instanceof DerivedRecord ? from.origin : from;
    this.made = value;
  }
  get key(): unknown {
    return sharedValue(this.origin.key);
  }
  get value(): unknown {
    const { made } = this;
    if (typeof made !== 'object' || this.isShared) return made;
    const shared = sharedValue(made);
    this.isShared = shared === made;
    return shared;
  }
  get timestamp(): number {
    return this.origin.timestamp;
  }
  get headers(): readonly Header[] {
    return sharedHeaders(this.origin.headers);
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

const sharedHeaders = (headers: readonly Header[]): readonly Header[] => (headers.length === 0 ? NO_HEADERS : (sharedValue(headers) as readonly Header[]));
