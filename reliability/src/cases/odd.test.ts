/** F22: records that some format cannot hold. Each is read as it was appended, or refused by name when it is appended. */
import { isStoplogError, openLog, topic } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { withFolder } from '../harness/folder.ts';

const LIMIT = 16 * 1024 * 1024;
interface Odd {
  readonly key: unknown;
  readonly value: unknown;
  readonly timestamp?: number;
}
const ODD: Readonly<Record<string, readonly [codec: 'json' | 'msgpack' | 'string', odd: Odd, refusal?: string]>> = {
  'empty text': ['string', { key: '', value: '' }],
  'NUL in a key': ['string', { key: 'a\0b', value: '\0' }],
  'half a character': ['string', { key: 'k', value: '\ud800' }, 'STOPLOG_SCHEMA'],
  'half a character in JSON': ['json', { key: 'k', value: '\ud800' }],
  'a key of 1,978 bytes': ['string', { key: 'k'.repeat(1_978), value: 'v' }],
  'a key of 1,979 bytes': ['string', { key: 'k'.repeat(1_979), value: 'v' }],
  'a key of 1 MiB': ['string', { key: 'k'.repeat(1_048_576), value: 'v' }],
  'a key one over 1 MiB': ['string', { key: 'k'.repeat(1_048_577), value: 'v' }, 'STOPLOG_KEY_TOO_LONG'],
  'a record one below the limit': ['string', { key: 'k', value: 'v'.repeat(LIMIT - 2) }],
  'a record at the limit': ['string', { key: 'k', value: 'v'.repeat(LIMIT - 1) }],
  'a record one over the limit': ['string', { key: 'k', value: 'v'.repeat(LIMIT) }, 'STOPLOG_RECORD_TOO_LARGE'],
  'a record of 64 MB': ['string', { key: 'k', value: 'v'.repeat(4 * LIMIT) }, 'STOPLOG_RECORD_TOO_LARGE'],
  'own __proto__ in JSON': ['json', { key: '__proto__', value: JSON.parse('{"__proto__":{"admin":true},"a":1}') }],
  'own __proto__ in msgpack': ['msgpack', { key: 'k', value: JSON.parse('{"__proto__":{"admin":true},"a":1}') }, 'STOPLOG_SCHEMA'],
  'NaN in JSON': ['json', { key: 'k', value: Number.NaN }, 'STOPLOG_SCHEMA'],
  'NaN in msgpack': ['msgpack', { key: 'k', value: { n: Number.NaN } }],
  '2^53 − 1': ['json', { key: 'k', value: 2 ** 53 - 1 }],
  '2^53 + 2': ['json', { key: 'k', value: 2 ** 53 + 2 }],
  'a bigint in JSON': ['json', { key: 'k', value: 1n }, 'STOPLOG_SCHEMA'],
  'a bigint of 64 bits in msgpack': ['msgpack', { key: 'k', value: 2n ** 63n - 1n }],
  'a Date in JSON': ['json', { key: 'k', value: new Date(0) }, 'STOPLOG_SCHEMA'],
  'a Date in msgpack': ['msgpack', { key: 'k', value: new Date(0) }],
  'a time before 1970': ['string', { key: 'k', value: 'v', timestamp: -1 }],
  'a time in microseconds': ['string', { key: 'k', value: 'v', timestamp: 1_700_000_000_000_000 }],
  'a time of half a millisecond': ['string', { key: 'k', value: 'v', timestamp: 0.5 }, 'STOPLOG_USAGE'],
  'no time at all': ['string', { key: 'k', value: 'v', timestamp: Number.NaN }, 'STOPLOG_USAGE'],
  undefined: ['json', { key: 'k', value: undefined }, 'STOPLOG_SCHEMA'],
};

test.each(Object.entries(ODD))('F22: a record with %s is kept or refused by name', async (_, [codec, odd, refusal]) => {
  await withFolder(async (folder) => {
    const log = await openLog(lmdb(folder));
    const text = z.string();
    const face =
      codec === 'string'
        ? topic('odd', { key: text, value: text, partitions: 1, codec: { key: 'string', value: 'string' } })
        : topic('odd', { key: text, value: z.unknown(), partitions: 1, codec: { value: codec } });
    let code: string | undefined;
    try {
      await log.append(face as never, [odd as never]);
    } catch (error) {
      if (!isStoplogError(error)) throw error;
      code = error.code;
    }
    const found: unknown[] = [];
    for await (const batch of log.read(face, { from: 'earliest', until: 'end' })) found.push(...batch.map(({ key, value }) => ({ key, value })));
    await log[Symbol.asyncDispose]();
    expect(code).toBe(refusal);
    expect(found.length).toBe(refusal === undefined ? 1 : 0);
    // A string of 16 MB in a failure's report would be a failure of its own.
    if (refusal === undefined && JSON.stringify(odd.key).length + String(odd.value).length < 10_000)
      expect(found[0]).toEqual({ key: odd.key, value: odd.value });
    else if (refusal === undefined) expect((found[0] as Odd).value === odd.value && (found[0] as Odd).key === odd.key).toBe(true);
  });
});
