/**
 * A record as `stoplog tail` shows it: a line for people, or a line of JSON that `stoplog append --json` reads.
 *
 * Bytes that cannot be decoded are shown as well, because `tail` is the tool to find them.
 */
import type { Header } from '@stoplog/core';
import { compareBytes, encodeSortKey, type LazyRecord } from '@stoplog/core/kit';
import { oneLine } from '@stoplog/runtime/kit';
import { hexOf, jsonText, offsetData } from './json-text.ts';

type Side = { readonly value: unknown } | { readonly absent: true } | { readonly codec: string; readonly bytes: Uint8Array };

/** `2026-01-02T03:04:05.678Z  [2]@17  key  value  name=header`; `topic` precedes the place where records of several topics are shown. */
export const recordLine = (record: LazyRecord, topic: string = ''): string => {
  const place = `${topic}[${record.partition}]@${record.offset}`;
  const headers = record.headers.map(({ name, value }) => `${oneLine(name)}=${value === null ? '(null)' : headerLine(value)}`);
  return [timeText(record.timestamp), place, keyText(record), sideText(valueOf(record), '(tombstone)'), ...headers].join('  ');
};

export const recordJson = (record: LazyRecord): string => jsonText(recordData(record));

/** The record as data, for `--filter`. */
export const recordData = (record: LazyRecord): Readonly<Record<string, unknown>> => {
  const { topic, partition, offset, timestamp, headers } = record;
  const value = valueOf(record);
  return {
    topic,
    partition,
    offset: offsetData(offset),
    timestamp,
    key: sideData(keyOf(record)),
    value: sideData(value),
    ...('absent' in value ? { tombstone: true } : {}),
    ...(headers.length === 0 ? {} : { headers: headers.map(headerData) }),
  };
};

/** The key as `recordLine` prints it. */
export const keyText = (record: LazyRecord): string => sideText(keyOf(record), '(no key)');

/** Whether a record has the key given on the command line: as printed, or as JSON; bytes also as text. */
export const keyMatcher = (text: string): ((record: LazyRecord) => boolean) => {
  const [wanted, bytes, json] = [sortKeyOf(text), new TextEncoder().encode(text), text.replace(/\s/g, '')];
  return (record) => {
    const key = keyOf(record);
    if ('absent' in key) return false;
    if (sideText(key, '') === text) return true;
    // A key of bytes also matches the bytes of the text, as `append --key` writes them, and the form that `--json` prints.
    if ('value' in key && key.value instanceof Uint8Array) return compareBytes(key.value, bytes) === 0 || jsonText(key.value) === json;
    if (!('value' in key) || wanted === undefined) return false;
    const found = sortKey(key.value);
    return found !== undefined && compareBytes(found, wanted) === 0;
  };
};

const sortKeyOf = (text: string): Uint8Array | undefined => {
  try {
    return encodeSortKey(JSON.parse(text));
  } catch {
    return undefined;
  }
};
const sortKey = (value: unknown): Uint8Array | undefined => {
  try {
    return encodeSortKey(value);
  } catch {
    return undefined;
  }
};

const keyOf = (record: LazyRecord): Side => decoded(record.keyBytes, record.keySerde.codec, () => record.key);
const valueOf = (record: LazyRecord): Side => decoded(record.valueBytes, record.valueSerde.codec, () => record.value);
const decoded = (bytes: Uint8Array | null, codec: string, value: () => unknown): Side => {
  if (bytes === null) return { absent: true };
  try {
    return { value: value() };
  } catch {
    return { codec, bytes };
  }
};

const sideText = (side: Side, absent: string): string => {
  if ('absent' in side) return absent;
  if ('codec' in side) return `(not ${side.codec}) ${bytesText(side.bytes)}`;
  if (side.value instanceof Uint8Array) return bytesText(side.value);
  return typeof side.value === 'string' ? oneLine(side.value) : jsonText(side.value);
};
const sideData = (side: Side): unknown => {
  if ('absent' in side) return null;
  return 'codec' in side ? { undecodable: side.codec, hex: hexOf(side.bytes) } : side.value;
};

/** The number of bytes of binary data that a line shows. */
const SHOWN_BYTES = 32;
const bytesText = (bytes: Uint8Array): string =>
  `(${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'}) ${hexOf(bytes.subarray(0, SHOWN_BYTES))}${bytes.length > SHOWN_BYTES ? '…' : ''}`;

/** Header values are bytes without a codec; most hold text. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
};
const headerLine = (value: Uint8Array): string => {
  const text = textOf(value);
  return text === undefined ? bytesText(value) : oneLine(text);
};
const headerData = ({ name, value }: Header): unknown => ({ name, value: value === null ? null : (textOf(value) ?? value) });

const timeText = (ms: number): string => {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms` : date.toISOString();
};
