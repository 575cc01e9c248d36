import { compactedTopic, StoplogError, topic } from '@stoplog/core';
import { topicOf } from '@stoplog/core/kit';
import { grouped, oneLine, printable } from '@stoplog/runtime/kit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { columns } from './columns.ts';
import { jsonText, offsetData } from './json-text.ts';
import { inputOf, recordByField, recordByJson, takesNoKey } from './record-input.ts';
import { type Glance, statusJson, statusLine } from './status-text.ts';
import { nearest } from './suggest.ts';

describe('what is printed', () => {
  test('printed text cannot control the terminal: control characters and marks of direction are escaped', () => {
    expect(oneLine('a\u001b[2Jb\r\n\t\u009b\u202e\ufeffc é 木 👍')).toBe('a\\u001b[2Jb\\r\\n\\t\\u009b\\u202e\\ufeffc é 木 👍');
    expect(printable('two\nlines\u0007')).toBe('two\nlines\\u0007');
  });
  test('a value is printed as JSON, with an object for each type that JSON lacks', () => {
    const text = jsonText({ a: new Uint8Array([0, 255]), b: 12n, c: new Date(0), d: new Set([1]), e: [Number.NaN], f: '\u009b\u2028', ['__proto__']: 1 });
    expect(text).not.toContain('\u009b');
    expect(JSON.parse(text)).toEqual(
      JSON.parse(
        '{"a":{"hex":"00ff"},"b":{"bigint":"12"},"c":{"date":"1970-01-01T00:00:00.000Z"},"d":{"set":[1]},"e":[{"number":"NaN"}],"f":"\\u009b\\u2028","__proto__":1}',
      ),
    );
    expect(jsonText(undefined)).toBe('null');
  });
  test('every offset in JSON differs from its neighbours (O09)', () => {
    const offsets = [0n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n];
    expect(offsets.map(offsetData)).toEqual([0, 9_007_199_254_740_991, '9007199254740992', '9007199254740993']);
  });
  test('rows are printed in columns, with numbers right-aligned', () => {
    expect(
      columns(
        [
          ['TOPIC', 'N', 'X'],
          ['a', '12', 'y'],
        ],
        [1],
      ),
    ).toEqual(['TOPIC   N  X', 'a      12  y']);
    expect(columns([])).toEqual([]);
    expect([0, 999, 1000, 48_102, 1_234_567].map(grouped)).toEqual(['0', '999', '1 000', '48 102', '1 234 567']);
  });
});

describe('a status', () => {
  const quiet: Glance = {
    state: 'running',
    recordsInPerSecond: 48_101.6,
    recordsOutPerSecond: 0,
    lag: 0,
    lagSeconds: 0,
    drainSeconds: 0,
    commitMs: undefined,
    restarts: 0,
    failed: [],
  };
  test('a status line omits values without news', () => {
    expect(statusLine(quiet)).toBe('in 48 102/s   out 0/s   lag 0   commit –');
  });
  test('a status line counts the actors in this process if others share the pipeline', () => {
    const share = (...holds: readonly (readonly number[])[]): Glance => ({
      ...quiet,
      tasks: holds.map((here) => ({ drainSeconds: 0, partitions: 4, holds: here })),
    });
    expect([share([0, 1, 2, 3]), share([0, 2], [1]), share([], [])].map((status) => statusLine(status).split('   ')[0])).toEqual([
      'in 48 102/s',
      '3 of 8 actors here',
      'in 48 102/s',
    ]);
  });
  test('a status line shows the state, commits, restarts and failures', () => {
    const troubled: Glance = {
      ...quiet,
      state: 'draining',
      lag: 7,
      lagSeconds: 3.2,
      drainSeconds: undefined,
      commitMs: { p50: 1.234, p99: 61.7 },
      restarts: 2,
      failed: [{ task: 1, partition: 3, error: new Error('boom\u001b') }],
    };
    expect(statusLine(troubled)).toBe('draining   in 48 102/s   out 0/s   lag 7, 3.2s old, drains never   commit p50 1.2ms p99 62ms   restarts 2   failed 1');
    expect(JSON.parse(statusJson(troubled, 'now'))).toMatchObject({
      time: 'now',
      state: 'draining',
      failed: [{ task: 1, partition: 3, code: 'Error', message: 'boom\u001b' }],
    });
    const waiting = { ...troubled, retrying: [{ task: 0, partition: 1, error: new StoplogError('STOPLOG_SINK', {}, 'gone'), failures: 7 }] };
    expect(statusLine(waiting)).toContain('retrying 1');
    expect(JSON.parse(statusJson(waiting, 'now'))).toMatchObject({ retrying: [{ task: 0, partition: 1, code: 'STOPLOG_SINK', message: 'gone', failures: 7 }] });
  });
});

describe('a suggestion', () => {
  test('the suggestion is the choice that is a few edits away, or none', () => {
    const choices = ['run', 'describe', 'topics', 'tail', 'append'];
    expect(['tial', 'descibe', 'topic', 'apend', 'desc', 'kafka', 'x', ''].map((word) => nearest(word, choices))).toEqual([
      'tail',
      'describe',
      'topics',
      'append',
      'describe',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('a line of input', () => {
  const texts = topicOf(topic('texts', { key: z.string(), value: z.string() }));
  const numbers = topicOf(topic('numbers', { key: z.int(), value: z.int() }));
  const raw = topicOf(topic('raw', { key: z.string().nullable(), value: z.instanceof(Uint8Array), codec: { value: 'bytes' } }));

  test('a line is text if the schema accepts text, else JSON, else the text that the schema refuses', () => {
    expect([inputOf(texts.valueSerde, '12'), inputOf(numbers.valueSerde, '12'), inputOf(numbers.valueSerde, 'x'), inputOf(raw.valueSerde, 'é')]).toEqual([
      '12',
      12,
      'x',
      new Uint8Array([0xc3, 0xa9]),
    ]);
  });
  test('a record needs a key, unless the schema accepts null', () => {
    const compacted = topicOf(compactedTopic('c', { key: z.string().nullable(), value: z.string() }));
    expect([texts, raw, compacted].map(takesNoKey)).toEqual([false, true, false]);
  });
  test('a line with a whole record has key, value, time and headers', () => {
    expect(recordByJson(texts, '{"value":"v"}')).toEqual({ key: null, value: 'v' });
    expect(
      recordByJson(
        texts,
        '{"key":"k","value":null,"timestamp":"1970-01-01T00:00:01Z","headers":[{"name":"h","value":"x"},{"name":"h","value":null},{"name":"b","value":{"hex":"00FF"}}]}',
      ),
    ).toEqual({
      key: 'k',
      value: null,
      timestamp: 1000,
      headers: [
        { name: 'h', value: new Uint8Array([0x78]) },
        { name: 'h', value: null },
        { name: 'b', value: new Uint8Array([0, 255]) },
      ],
    });
    expect(recordByJson(raw, '{"key":null,"value":{"hex":"0a"}}').value).toEqual(new Uint8Array([10]));
  });
  test('a line that is not a record is refused with the reason', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['{', /not JSON/],
      ['[]', /no JSON object/],
      ['{"key":"k"}', /has no "value"/],
      ['{"value":1,"timestmap":1}', /a field 'timestmap'/],
      ['{"value":1,"timestamp":1.5}', /"timestamp" is neither/],
      ['{"value":1,"headers":{}}', /"headers" is no list/],
      ['{"value":1,"headers":[{"value":"x"}]}', /a header has no "name"/],
      ['{"value":1,"headers":[{"name":"x","value":1}]}', /value of header 'x'/],
      ['{"value":{"undecodable":"json","hex":"00"}}', /could not be decoded/],
    ];
    for (const [text, why] of cases) expect(() => recordByJson(texts, text)).toThrow(why);
    expect(() => recordByJson(raw, '{"value":{"hex":"0"}}')).toThrow(/hexadecimal/);
    expect(() => recordByField(texts, '{"a":1}', 'id')).toThrow(/no field 'id' .* its fields are a/);
  });
});
