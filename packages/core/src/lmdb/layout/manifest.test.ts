import { describe, expect, test } from 'vitest';
import { TABLES, type Table } from './keyspace.ts';
import { manifestText, parseManifest, type Manifest } from './manifest.ts';

const manifest: Manifest = {
  format: 1,
  taken: '2026-11-30T00:00:00.000Z',
  bytes: 8_192,
  sha256: 'ab'.repeat(32),
  entries: Object.fromEntries(TABLES.map((table, i) => [table, i])) as Record<Table, number>,
};
const thrown = (text: string): unknown => {
  try {
    return parseManifest('/backup', text);
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
};

describe('a manifest', () => {
  test('a manifest decodes to itself from its text', () => {
    expect(parseManifest('/backup', manifestText(manifest))).toEqual(manifest);
  });
  test('a manifest of a newer format is refused as newer, whatever else it holds', () => {
    expect(thrown('{"format":99}')).toBe('STOPLOG_LOG_FORMAT');
  });
  test('a manifest that is cut, is not JSON, or holds impossible values is damaged', () => {
    const changed = (change: object): string => JSON.stringify({ ...manifest, ...change });
    for (const text of [manifestText(manifest).slice(0, -3), 'null', '[]', '{}', changed({ bytes: -1 }), changed({ sha256: 'ab' }), changed({ entries: null })])
      expect([text, thrown(text)]).toEqual([text, 'STOPLOG_LOG_CORRUPT']);
  });
});
