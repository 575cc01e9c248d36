import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { isStoplogError, StoplogError } from '@stoplog/core';
import { errorFromData, errorToData } from '@stoplog/core/kit';
import { expect, test } from 'vitest';

test('an error names its section of the documents, also in another thread, and is printed without the name', () => {
  const error = new StoplogError('STOPLOG_LOG_FULL', { path: '/data' }, 'the disk is full: make room');
  const crossed = errorFromData(structuredClone(errorToData(error)));
  for (const one of [error, crossed]) expect(isStoplogError(one) && one.docs).toBe('docs/reference/errors.md#stoplog_log_full');
  const [file, anchor] = error.docs.split('#');
  expect(readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')).toMatch(new RegExp(`^### ${anchor}$`, 'im'));
  expect(inspect(error)).not.toContain('errors.md');
});
