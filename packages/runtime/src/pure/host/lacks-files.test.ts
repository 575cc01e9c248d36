import { errorFromData, errorToData } from '@stoplog/core/kit';
import { describe, expect, test } from 'vitest';
import { asUnread, lacksFiles } from './lacks-files.ts';

const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code });
/** The texts of Node 20 and Node 24. */
const SAID = [
  withCode('EMFILE', "EMFILE: too many open files, open '/app/node_modules/zod/v4/locales/ar.js'"),
  withCode('ENFILE', "ENFILE: file table overflow, open '/app/a.js'"),
  withCode('ERR_INVALID_PACKAGE_CONFIG', 'Cannot read package config /app/package.json: too many open files.'),
  withCode('ERR_WORKER_INIT_FAILED', 'Worker initialization failure: EMFILE'),
  new Error("No native build was found for platform=linux\nError finding package.json: EMFILE: too many open files, open '/app/package.json'"),
  new Error('Too many open files: /data/lock.mdb'),
];

describe('a failure for lack of files', () => {
  test.each(SAID)('the failure is recognized: %s', (error) => {
    expect(lacksFiles(error)).toBe(true);
    expect(lacksFiles(new Error('orders.pipeline.js cannot be imported', { cause: error }))).toBe(true);
  });
  test.each(SAID)('the failure is recognized when it came from a thread, as data: %s', (error) => {
    expect(lacksFiles(errorFromData(errorToData(new Error('a log cannot be opened', { cause: error }))))).toBe(true);
  });
  test('other failures are not taken for it, and a cycle of causes ends', () => {
    const round = new Error('a');
    round.cause = new Error('b', { cause: round });
    for (const error of [new Error('boom'), withCode('ENOENT', 'ENOENT: no such file or directory'), round, 'EMFILE', undefined])
      expect(lacksFiles(error)).toBe(false);
  });
  test('a thread recognizes the failure even where Node reports an unreadable file as missing', () => {
    for (const error of [
      withCode('ERR_MODULE_NOT_FOUND', "Cannot find module '/app/node_modules/zod' imported from /app/orders.pipeline.js"),
      new SyntaxError('Cannot use import statement outside a module'),
    ]) {
      expect(lacksFiles(error)).toBe(false);
      expect(asUnread(error)).toMatchObject({ message: expect.stringContaining(error.message) });
      expect(lacksFiles(asUnread(error))).toBe(true);
    }
    const missing = withCode('ERR_MODULE_NOT_FOUND', "Cannot find module '/app/helper.js' imported from /app/orders.pipeline.js");
    expect(asUnread(missing)).toBe(missing);
    const own = new SyntaxError("Unexpected token '}'");
    expect(asUnread(own)).toBe(own);
  });
});
