import { describe, expect, test } from 'vitest';
import { tooFewFiles } from './open-files.ts';

const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code });
const SAID = [
  withCode('EMFILE', "EMFILE: too many open files, open '/app/node_modules/zod/v4/locales/ar.js'"),
  withCode('ENFILE', "ENFILE: file table overflow, open '/app/a.js'"),
];

describe('the error for too few files', () => {
  test('the error names the number of open files, the words of the system, and the remedy', () => {
    const error = tooFewFiles(new Error('it cannot be imported', { cause: SAID[0] }), { open: 140, allowed: 150 });
    expect(error).toMatchObject({ code: 'STOPLOG_TOO_FEW_FILES', facts: { open: 140, allowed: 150 } });
    expect(error.message).toMatch(/has 140 of 150, .*\(EMFILE: too many open files, open .*ar\.js'\)\. .*ulimit -n 1024/);
    expect(tooFewFiles(error, { open: 1, allowed: 2 })).toBe(error);
  });
  test('the error names a higher limit when many files may be open', () => {
    expect(tooFewFiles(SAID[0]!, { open: 4_096, allowed: 4_096 }).message).toContain('ulimit -n 8192');
  });
  test('the error of a full machine names no limit of this process', () => {
    expect(tooFewFiles(SAID[1]!, { open: 10, allowed: 1_024 }).message).toMatch(/whole machine .*fs\.file-max/);
  });
  test('the error is whole even when the number of open files is unknown', () => {
    expect(tooFewFiles(SAID[0]!, { open: undefined, allowed: undefined }).message).toMatch(/too few files may be open.*ulimit -n 1024/);
  });
});
