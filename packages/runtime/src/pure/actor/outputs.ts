/**
 * The records that one batch appends, topic by topic.
 *
 * A stream's records are appended one by one. A table's changes are appended once per key and commit, the latest: a compacted topic keeps
 * no more than that anyway, and a key that changes a thousand times in a batch costs one record.
 */
import type { Header } from '@stoplog/core';
import { type AnyTopic, type Encoded, encodeKey, encodeValue, LazyRecord, type PackedBatch, RecordPacker, type Serde } from '@stoplog/core/kit';
import type { AnyRecord } from '../nodes/record.ts';
import { DerivedRecord } from '../nodes/derived-record.ts';
import { copyOfBytes, isFrozen } from '../nodes/shared-value.ts';
import { KeyMap } from './key-map.ts';
import { sizeOfValue } from './value-size.ts';

interface Latest {
  readonly key: unknown;
  value: unknown;
  encoded: Encoded | null | undefined;
  size: number;
  timestamp: number;
  headers: readonly Header[];
}

export class TopicOutput {
  readonly #topic: AnyTopic;
  readonly #packer: RecordPacker;
  /** True for LogAppendTime: the log stamps the records at append, and records that all have timestamp 0 until then are stamped at no cost. */
  readonly #isStamped: boolean;
  readonly #latest = new KeyMap<Latest>();
  #latestBytes = 0;
  #records = 0;

  constructor(topic: AnyTopic) {
    this.#topic = topic;
    this.#packer = new RecordPacker(topic.name, topic.partitions);
    this.#isStamped = topic.shape.timestamps === 'arrival';
  }

  /** Roughly the bytes since the last `take`. */
  get dirtyBytes(): number {
    return this.#packer.bytes + this.#latestBytes;
  }
  /** True when there is nothing to append since the last `take`. */
  get isEmpty(): boolean {
    return this.#records === 0 && this.#latest.size === 0;
  }
  /** Appends a record under its own key. */
  record(record: AnyRecord): void {
    this.#records++;
    this.#packer.add(this.#keyOf(record), this.#valueOf(record), this.#isStamped ? 0 : record.timestamp, record.headers);
  }
  /** Appends a record under another key. */
  rekeyed(key: unknown, record: AnyRecord): void {
    this.#records++;
    this.#packer.add(encodeKey(this.#topic, key), this.#valueOf(record), this.#isStamped ? 0 : record.timestamp, record.headers);
  }
  /** Remembers the latest value of a key; undefined deletes the key. */
  latest(key: unknown, value: unknown, record: AnyRecord): void {
    // A value that cannot be frozen may be changed before the commit, so it is encoded now.
    const encoded = isFrozen(value) ? undefined : this.#encode(value);
    const size = encoded === undefined || encoded === null ? sizeOfValue(value) : encoded.length;
    const known = this.#latest.get(key);
    this.#latestBytes += size - (known?.size ?? 0);
    if (known === undefined) this.#latest.set(key, { key, value, encoded, size, timestamp: record.timestamp, headers: record.headers });
    else {
      known.value = value;
      known.encoded = encoded;
      known.size = size;
      // The change may be caused by a record that is older than the one before it: the timestamp does not fall.
      known.timestamp = Math.max(known.timestamp, record.timestamp);
      known.headers = record.headers;
    }
  }
  /** Takes all records as batches, with their number. */
  take(): { readonly batches: readonly PackedBatch[]; readonly records: number } {
    for (const { key, value, encoded, timestamp, headers } of this.#latest.values()) {
      this.#records++;
      this.#packer.add(
        encodeKey(this.#topic, key),
        encoded ?? (value === undefined ? null : encodeValue(this.#topic, value)),
        this.#isStamped ? 0 : timestamp,
        headers,
      );
    }
    this.#latest.clear();
    this.#latestBytes = 0;
    const records = this.#records;
    this.#records = 0;
    return { batches: this.#packer.take(), records };
  }

  #encode(value: unknown): Encoded | null {
    const encoded = encodeValue(this.#topic, value);
    return encoded instanceof Uint8Array ? copyOfBytes(encoded) : encoded;
  }
  /** The original bytes of the key, where the codec is the same: never decoded, never encoded again. */
  #keyOf(record: AnyRecord): Encoded | null {
    const origin = record instanceof DerivedRecord ? record.origin : record;
    if (origin instanceof LazyRecord && sameBytes(origin.keySerde, this.#topic.keySerde) && origin.keyBytes !== null) return origin.keyBytes;
    return encodeKey(this.#topic, record.key);
  }
  #valueOf(record: AnyRecord): Encoded | null {
    if (record instanceof LazyRecord && sameBytes(record.valueSerde, this.#topic.valueSerde) && record.valueBytes !== null) return record.valueBytes;
    return encodeValue(this.#topic, record instanceof DerivedRecord ? record.made : record.value);
  }
}

/** True when both serdes write the same bytes: the codec is the same, and no schema must parse the value first. */
const sameBytes = (from: Serde<unknown>, to: Serde<unknown>): boolean => from.codec === to.codec && !from.parsesOnDecode;
