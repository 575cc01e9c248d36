/**
 * `--filter value.state=open`: a path into a record and the value there, which is compared, never evaluated.
 *
 * The path goes through the record as `tail --json` prints it (key, value, headers.NAME, timestamp, partition, offset); one that
 * begins with another word begins in the value. The text after `=` is compared as text, and as JSON if it is JSON: `minutes=5`
 * finds 5 and "5". `!=` finds all records that `=` does not find, also records without such a path.
 */
import { StoplogError } from '@stoplog/core';
import { compareBytes, encodeSortKey } from '@stoplog/core/kit';
import { oneLine } from '@stoplog/runtime/kit';
import { jsonText } from './json-text.ts';

/** A filter over records as data. */
export type DataFilter = (record: Readonly<Record<string, unknown>>) => boolean;

export const filterIn = (text: string): DataFilter => {
  const [, path, operator, wanted] = /^([^=!<>\s][^=!<>]*?)(!?=)(.*)$/s.exec(text) ?? [];
  if (wanted?.startsWith('=') === true) {
    const quoted = `${path}${operator}${JSON.stringify(wanted)}`;
    throw new StoplogError(
      'STOPLOG_USAGE',
      { filter: text },
      `--filter '${oneLine(text)}' has one = too many: write ${oneLine(`${path}${operator}${wanted.replace(/^=+/, '')}`)}, or, if the text begins with it, '${oneLine(quoted)}'`,
    );
  }
  if (path === undefined || operator === undefined || wanted === undefined || path.split('.').includes('')) {
    throw new StoplogError(
      'STOPLOG_USAGE',
      { filter: text },
      `--filter '${oneLine(text)}' is no filter: write path=value or path!=value, such as value.state=open, items.0.sku=x or headers.trace=abc`,
    );
  }
  const steps = path.split('.');
  const [first = ''] = steps;
  const whole = FIELDS.has(first) ? steps : ['value', ...steps];
  const isEqual = equalTo(wanted);
  return (record) => isEqual(at(record, whole)) === (operator === '=');
};
const FIELDS: ReadonlySet<string> = new Set(['topic', 'partition', 'offset', 'timestamp', 'key', 'value', 'headers', 'tombstone']);

const NOTHING: unique symbol = Symbol('nothing there');

const at = (record: unknown, steps: readonly string[]): unknown => {
  let found: unknown = record;
  steps.forEach((step, i) => {
    // Headers are a list of names and values; the last header of a name counts.
    if (i === 1 && steps[0] === 'headers') found = Array.isArray(found) ? lastNamed(found, step) : NOTHING;
    else {
      const whole = asPrinted(found);
      found = typeof whole === 'object' && whole !== null && Object.hasOwn(whole, step) ? (whole as Readonly<Record<string, unknown>>)[step] : NOTHING;
    }
  });
  return found;
};
/** Types that JSON lacks are filtered as `--json` prints them: `value.hex=00ff`, `at.date=2026-01-02T00:00:00.000Z`, `n.bigint=1`. */
const asPrinted = (value: unknown): unknown =>
  typeof value === 'bigint' || value instanceof Uint8Array || value instanceof Date || value instanceof Set ? JSON.parse(jsonText(value)) : value;
const lastNamed = (headers: readonly unknown[], name: string): unknown => {
  const found = (headers as readonly { readonly name: string; readonly value: unknown }[]).findLast((header) => header.name === name);
  return found === undefined ? NOTHING : found.value;
};

const equalTo = (text: string): ((found: unknown) => boolean) => {
  const json = sortKeyOf(() => JSON.parse(text));
  return (found) => {
    if (found === NOTHING) return false;
    if (found === text) return true;
    if (json === undefined) return false;
    return [found, asPrinted(found)].some((one) => {
      const key = sortKeyOf(() => one);
      return key !== undefined && compareBytes(key, json) === 0;
    });
  };
};
/** Equal values have equal sort keys, in any order of their fields. */
const sortKeyOf = (value: () => unknown): Uint8Array | undefined => {
  try {
    return encodeSortKey(value());
  } catch {
    return undefined;
  }
};
