import { isStoplogError, type Origin, topic } from '@stoplog/core';
import { topicOf } from '@stoplog/core/kit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { recordByField, recordByJson } from './record-input.ts';
import fc from 'fast-check';

/** Lines of an untrusted file. */
const lines = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc
    .record({ key: fc.jsonValue(), value: fc.jsonValue(), timestamp: fc.jsonValue(), headers: fc.jsonValue() }, { requiredKeys: [] })
    .map((record) => JSON.stringify(record)),
  fc.constantFrom(
    '{"__proto__":{"key":"a"}}',
    '{"key":"a","value":"b","headers":[["a"]]}',
    '{"key":"a","value":"b","headers":{"__proto__":"x"}}',
    '['.repeat(10_000),
    '{"key":1e999,"value":null}',
    '\ufeff{}',
  ),
);
test('any line is a record, or is refused with a code and a reason; and no line changes a prototype', () => {
  const texts = topicOf(topic('texts', { key: z.string(), value: z.string() }) as Origin<unknown, unknown>);
  const anything = topicOf(topic('anything', { key: z.unknown(), value: z.unknown() }) as Origin<unknown, unknown>);
  for (const read of [recordByJson, (face: typeof texts, line: string): unknown => recordByField(face, line, 'key')]) {
    fc.assert(
      fc.property(lines, fc.constantFrom(texts, anything), (line, face) => {
        try {
          read(face, line);
        } catch (error) {
          if (!isStoplogError(error)) throw error;
          expect(error.message.length).toBeGreaterThan(10);
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  }
});
