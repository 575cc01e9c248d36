/**
 * Ports that parse keys and values made by a verb's function before they are written. A verb gets one only with `writes: 'parsed'`.
 *
 * The port writes the value that it was given, so a driven pipeline writes the same bytes as a running one. Keys and values that
 * no function has touched are handed on as their bytes, and were parsed when they were appended.
 */
import { isStoplogError, StoplogError } from '@stoplog/core';
import { type AnyStore, type AnyTopic, checkWritten, LazyRecord, takesItsOutput } from '@stoplog/core/kit';
import { DerivedRecord } from './derived-record.ts';
import type { Node, OutputPort, StatePort } from './node.ts';
import type { AnyRecord } from './record.ts';

/** The port of a topic for the node that writes to it. */
export const parsingOutput = (below: OutputPort, topic: AnyTopic, node: Node): OutputPort => {
  const valueBy = makerOf(node);
  const keyBy = node.kind === 'through' ? node.verb : valueBy;
  const check = (side: 'key' | 'value', written: unknown, by: string): void => {
    const { schema } = side === 'key' ? topic.keySerde : topic.valueSerde;
    // A null value deletes on a compacted topic, and the port below refuses a null key there.
    if ((written !== null || topic.kind === 'topic') && takesItsOutput(schema))
      named(by, () => checkWritten(schema, written, { kind: 'topic', name: topic.name, side }));
  };
  const checkKey = (record: AnyRecord): void => {
    const origin = record instanceof DerivedRecord ? record.origin : record;
    if (!(origin instanceof LazyRecord)) check('key', origin.key, keyBy);
  };
  const checkValue = (record: AnyRecord): void => {
    if (!(record instanceof LazyRecord)) check('value', record instanceof DerivedRecord ? record.made : record.value, valueBy);
  };
  return {
    record: (record) => {
      checkKey(record);
      checkValue(record);
      below.record(record);
    },
    rekeyed: (key, record) => {
      check('key', key, keyBy);
      checkValue(record);
      below.rekeyed(key, record);
    },
    latest: (key, value, record) => {
      checkKey(record);
      if (value !== undefined) check('value', value, valueBy);
      below.latest(key, value, record);
    },
  };
};

/** The port of a store for the node that owns it. */
export const parsingState = (below: StatePort, { name, keySchema, valueSerde: { schema } }: AnyStore, { verb }: Node): StatePort => ({
  get: (key) => below.get(key),
  range: (bounds, limit) => below.range(bounds, limit),
  delete: (key) => below.delete(key),
  setBytes: (key, bytes) => below.setBytes(key, bytes),
  set: (key, state) => {
    if (takesItsOutput(keySchema)) named(verb, () => checkWritten(keySchema, key, { kind: 'store', name, side: 'key' }));
    if (takesItsOutput(schema)) named(verb, () => checkWritten(schema, state, { kind: 'store', name, side: 'value' }));
    below.set(key, state);
  },
});

/** The verb whose function made the value that the node writes: the next one upstream that makes values. */
const makerOf = ({ inputs: [input], verb }: Node): string => {
  if (input === undefined) return verb;
  return HAND_ON.has(input.kind) ? makerOf(input) : input.verb;
};
const HAND_ON: ReadonlySet<string> = new Set(['filter', 'table-filter', 'changes']);

const named = (verb: string, check: () => void): void => {
  try {
    check();
  } catch (error) {
    if (!isStoplogError(error)) throw error;
    throw new StoplogError(
      'STOPLOG_SCHEMA',
      { ...error.facts, verb },
      `${verb}(…) made a value that its type does not allow: ${error.message}, where the value is made, for types are silent about any; or trust it with writes: 'trusted'`,
      { cause: error },
    );
  }
};
