/**
 * A record as a pipeline sees it: key, value, timestamp, headers, topic, partition and offset.
 *
 * `LazyRecord` is a view into its batch. Key and value are decoded when they are first read, at most once; a value that is
 * passed on unchanged is copied as bytes and never decoded. A record keeps its whole batch in memory.
 */
import type { Serde } from '../schema/serde.ts';
import { NO_HEADERS, type Header } from './header.ts';
import type { RecordCursor } from './record-cursor.ts';

export { allHeaders, lastHeader, NO_HEADERS, type Header } from './header.ts';

export interface LogRecord<K, V> {
  readonly key: K;
  /** `null` is a tombstone: the key is deleted. */
  readonly value: V;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly headers: readonly Header[];
  readonly offset: bigint;
  readonly topic: string;
  readonly partition: number;
}

/** Marks a key or value that is not decoded yet; no serde returns it. */
const undecoded = Symbol('undecoded');

export class LazyRecord implements LogRecord<unknown, unknown> {
  readonly keySerde: Serde<unknown>;
  readonly valueSerde: Serde<unknown>;
  private readonly time: number;
  private readonly topicName: string;
  private readonly view: RecordCursor;
  private readonly offsetDelta: number;
  private readonly keyStart: number;
  private readonly keyEnd: number;
  private readonly valueStart: number;
  private readonly valueEnd: number;
  private readonly headersAt: number;
  private decodedKey: unknown;
  private decodedValue: unknown;
  private decodedHeaders: readonly Header[] | undefined;

  /** Takes the record under the cursor of `view`, which may move on. */
  constructor(view: RecordCursor, keySerde: Serde<unknown>, valueSerde: Serde<unknown>, topic: string) {
    this.time = view.timestamp;
    this.topicName = topic;
    this.keySerde = keySerde;
    this.valueSerde = valueSerde;
    this.view = view;
    this.offsetDelta = view.offsetDelta;
    this.keyStart = view.keyStart;
    this.keyEnd = view.keyEnd;
    this.valueStart = view.valueStart;
    this.valueEnd = view.valueEnd;
    this.headersAt = view.headersAt;
    this.decodedKey = view.keyStart < 0 ? null : undecoded;
    this.decodedValue = view.valueStart < 0 ? null : undecoded;
    this.decodedHeaders = view.headersAt < 0 ? NO_HEADERS : undefined;
  }

  get key(): unknown {
    if (this.decodedKey === undecoded) this.decodedKey = this.keySerde.decode(this.view.bytes, this.keyStart, this.keyEnd);
    return this.decodedKey;
  }
  get value(): unknown {
    if (this.decodedValue === undecoded) this.decodedValue = this.valueSerde.decode(this.view.bytes, this.valueStart, this.valueEnd);
    return this.decodedValue;
  }
  // Getters, so that whoever is given the record cannot change it.
  get timestamp(): number {
    return this.time;
  }
  get topic(): string {
    return this.topicName;
  }
  get headers(): readonly Header[] {
    return (this.decodedHeaders ??= this.view.headersFrom(this.headersAt));
  }
  get offset(): bigint {
    return this.view.baseOffset + BigInt(this.offsetDelta);
  }
  get partition(): number {
    return this.view.partition;
  }

  /** The encoded key, as a view into the batch. */
  get keyBytes(): Uint8Array | null {
    return this.keyStart < 0 ? null : this.view.bytes.subarray(this.keyStart, this.keyEnd);
  }
  /** The encoded value, as a view into the batch; null is a tombstone. */
  get valueBytes(): Uint8Array | null {
    return this.valueStart < 0 ? null : this.view.bytes.subarray(this.valueStart, this.valueEnd);
  }
}
