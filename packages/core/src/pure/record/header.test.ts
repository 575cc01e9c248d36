import { describe, expect, test } from 'vitest';
import { utf8 } from '../bytes/text.ts';
import { BatchBuilder, openBatch } from './batch.ts';
import { allHeaders, lastHeader, type Header } from './header.ts';

/** Case O10. */
const list: readonly Header[] = [
  { name: 'a', value: utf8('1') },
  { name: 'b', value: null },
  { name: 'a', value: utf8('2') },
  { name: '', value: utf8('x') },
  { name: 'a', value: utf8('') },
  { name: 'c', value: Uint8Array.of(0xff, 0xfe) },
  { name: '__proto__', value: utf8('p') },
];
const written = (headers: readonly Header[]): readonly Header[] => {
  const builder = new BatchBuilder();
  builder.append('k', 'v', 0, headers);
  const view = openBatch(builder.finish());
  view.next();
  return view.headers();
};

describe('headers', () => {
  test('headers are a list: in order, repeated, null apart from empty, bytes unchanged', () => {
    expect(written(list)).toEqual(list);
    expect(allHeaders(written(list), 'a')).toEqual([utf8('1'), utf8('2'), utf8('')]);
    expect(lastHeader(written(list), 'a')).toEqual(utf8(''));
  });

  test('a header with a null value exists, and a missing one does not', () => {
    expect(lastHeader(list, 'b')).toBeNull();
    expect(lastHeader(list, 'toString')).toBeUndefined();
  });

  test('a header value is a copy: writing to it changes no batch', () => {
    const builder = new BatchBuilder();
    builder.append(null, null, 0, list);
    const bytes = builder.finish();
    const view = openBatch(bytes);
    view.next();
    view.headers()[0]!.value!.fill(0);
    expect(view.headers()).toEqual(list);
    expect(() => openBatch(bytes)).not.toThrow();
  });

  test('a name with a lone surrogate is refused, and the record with it', () => {
    const builder = new BatchBuilder();
    expect(() => builder.append('k', 'v', 0, [...list, { name: '\ud800', value: null }])).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE' }));
    expect(builder.count).toBe(0);
  });
});
