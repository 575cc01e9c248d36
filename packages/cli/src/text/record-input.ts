/**
 * Parses a line for `stoplog append`: plain text as a value, or a whole record as JSON.
 *
 * A line is taken as text if the schema accepts text, else as JSON: `12` fits a topic of numbers and a topic of strings. A topic of
 * bytes takes the bytes of the line. The log's client parses the value by the schema, not this module.
 */
import { type Header, StoplogError } from '@stoplog/core';
import type { AnyTopic, Serde } from '@stoplog/core/kit';
import { timeOf } from './time-text.ts';

export interface RecordInput {
  readonly key: unknown;
  readonly value: unknown;
  readonly timestamp?: number;
  readonly headers?: readonly Header[];
}

/** The value to parse by the schema: the text itself, or the text read as JSON. */
export const inputOf = (serde: Serde<unknown>, text: string): unknown => {
  if (serde.codec === 'bytes') return utf8(text);
  const refusal = refusalOf(serde, text);
  if (refusal === undefined) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    // A line that begins like JSON was probably meant to be JSON, so the error reports both problems.
    if (/^\s*[[{"]/.test(text)) throw refused(`it is not JSON (${(error as Error).message}), and as text ${refusal.message}`);
    return text; // the schema's error says which type it expects
  }
};

/** Whether records may have no key. */
export const takesNoKey = (topic: AnyTopic): boolean => topic.kind === 'topic' && refusalOf(topic.keySerde, null) === undefined;

const refusalOf = (serde: Serde<unknown>, input: unknown): Error | undefined => {
  try {
    serde.parse(input);
    return undefined;
  } catch (error) {
    return error as Error;
  }
};

/** The line as JSON is the value; the field named `field` is the key. */
export const recordByField = (topic: AnyTopic, text: string, field: string): RecordInput => {
  const value = objectIn(text);
  if (!Object.hasOwn(value, field)) throw refused(`it has no field '${field}' to take the key from; its fields are ${Object.keys(value).join(', ') || 'none'}`);
  return { key: bytesIn(topic.keySerde, value[field]), value };
};

/** A record as `stoplog tail --json` prints it: `{"key": …, "value": …, "timestamp"?, "headers"?}`. */
export const recordByJson = (topic: AnyTopic, text: string): RecordInput => {
  const json = objectIn(text);
  const foreign = Object.keys(json).find((name) => !FIELDS.has(name));
  if (foreign !== undefined) throw refused(`it has a field '${foreign}': a record has key, value, timestamp and headers`);
  if (!Object.hasOwn(json, 'value')) throw refused('it has no "value": give one, or null to delete the key of a compacted topic');
  for (const side of [json['key'], json['value']]) {
    if (typeof side === 'object' && side !== null && 'undecodable' in side) throw refused('it holds bytes that could not be decoded when it was read');
  }
  return {
    key: bytesIn(topic.keySerde, json['key'] ?? null),
    value: bytesIn(topic.valueSerde, json['value']),
    ...(json['timestamp'] === undefined ? {} : { timestamp: timeIn(json['timestamp']) }),
    ...(json['headers'] === undefined ? {} : { headers: headersIn(json['headers']) }),
  };
};
const FIELDS: ReadonlySet<string> = new Set(['key', 'value', 'timestamp', 'headers', 'topic', 'partition', 'offset', 'tombstone']);

const objectIn = (text: string): Readonly<Record<string, unknown>> => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw refused(`it is not JSON (${(error as Error).message})`);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw refused('it is no JSON object');
  return json as Readonly<Record<string, unknown>>;
};

/** Bytes are written in JSON as text or as `{"hex": "00ff"}`. */
const bytesIn = (serde: Serde<unknown>, value: unknown): unknown => {
  if (serde.codec !== 'bytes') return value;
  if (typeof value === 'string') return utf8(value);
  return hexIn(value) ?? value;
};
const hexIn = (value: unknown): Uint8Array | undefined => {
  if (typeof value !== 'object' || value === null || !('hex' in value)) return undefined;
  const { hex } = value;
  if (typeof hex !== 'string' || !/^(?:[0-9a-fA-F]{2})*$/.test(hex)) throw refused('its "hex" is no pairs of hexadecimal digits');
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
};

const timeIn = (value: unknown): number => {
  const ms = typeof value === 'string' ? timeOf(value) : value;
  if (typeof ms === 'number' && Number.isSafeInteger(ms)) return ms;
  throw refused('its "timestamp" is neither whole milliseconds since 1970 nor a time such as 2026-01-02T03:04:05Z');
};

const headersIn = (value: unknown): readonly Header[] => {
  if (!Array.isArray(value)) throw refused('its "headers" is no list: give [{"name": …, "value": …}]');
  return value.map((header: unknown): Header => {
    const { name, value: content } = (typeof header === 'object' && header !== null ? header : {}) as { readonly name?: unknown; readonly value?: unknown };
    if (typeof name !== 'string') throw refused('a header has no "name"');
    if (content === null) return { name, value: null };
    const bytes = typeof content === 'string' ? utf8(content) : hexIn(content);
    if (bytes === undefined) throw refused(`the value of header '${name}' is neither text, null nor {"hex": "00ff"}`);
    return { name, value: bytes };
  });
};

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const refused = (why: string): StoplogError => new StoplogError('STOPLOG_SCHEMA', {}, why);
