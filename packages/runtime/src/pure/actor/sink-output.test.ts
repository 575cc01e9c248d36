import { NO_HEADERS } from '@stoplog/core/kit';
import { describe, expect, test } from 'vitest';
import type { AnyRecord } from '../nodes/record.ts';
import { SinkOutput } from './sink-output.ts';

const record = (offset: bigint, value: unknown, key: unknown = 'k'): AnyRecord => ({
  key,
  value,
  timestamp: Number(offset),
  headers: NO_HEADERS,
  offset,
  topic: 't',
  partition: 0,
});
const made = (output: SinkOutput): unknown => output.take().map(({ value, offset, index }) => [value, offset, index]);

describe('the records of a batch for a sink', () => {
  test('sink records are counted within one input record, and get the same numbers when the record is read again', () => {
    const fill = (output: SinkOutput): unknown => {
      for (const value of ['a', 'b']) output.record(record(7n, value));
      output.record(record(8n, 'c'));
      return made(output);
    };
    const first = fill(new SinkOutput(undefined));
    expect(first).toEqual([
      ['a', 7n, 0],
      ['b', 7n, 1],
      ['c', 8n, 0],
    ]);
    expect(fill(new SinkOutput(0n))).toEqual(first);
  });
  test('sink records below the position of the sink are left out, and later ones are not', () => {
    const output = new SinkOutput(8n);
    for (const offset of [6n, 7n, 8n, 9n]) output.record(record(offset, `v${offset}`));
    expect(made(output)).toEqual([
      ['v8', 8n, 0],
      ['v9', 9n, 0],
    ]);
    expect(output.isEmpty).toBe(true);
  });
  test('a sink gets the latest change of each key, null for a deleted key', () => {
    const output = new SinkOutput(undefined);
    output.latest('a', 1, record(1n, undefined));
    output.latest('b', 1, record(2n, undefined));
    output.latest('a', 2, record(3n, undefined));
    output.latest('b', undefined, record(4n, undefined));
    expect(output.take().map(({ key, value, offset }) => [key, value, offset])).toEqual([
      ['a', 2, 3n],
      ['b', null, 4n],
    ]);
    expect(output.take()).toEqual([]);
  });
});
