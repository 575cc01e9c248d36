import { StoplogError } from '@stoplog/core';
import type { Source, SourceReader } from '@stoplog/core/port';
import { describe, expect, test } from 'vitest';
import { openSource } from './source.ts';

const readerOf = (over: Partial<SourceReader>): SourceReader => ({
  pull: () => Promise.resolve({ arrivals: [], ended: true }),
  acknowledge: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
  ...over,
});
const sourceOf = (open: () => Promise<SourceReader>): Source<unknown, unknown> => ({ kind: 'source', name: 'queue', open });

const START = { group: 'g', partition: 0, position: 0n };

describe('opening a source', () => {
  test('an actor that is draining does not wait for a source that does not open, and closes it if it opens later', async () => {
    let open = (_: SourceReader): void => {};
    const ending = new AbortController();
    const opening = openSource(
      sourceOf(
        () =>
          new Promise((resolve) => {
            open = resolve;
          }),
      ),
      START,
      undefined,
      ending.signal,
    );
    ending.abort();
    await expect(opening).rejects.toMatchObject({ code: 'STOPLOG_SOURCE' });
    const closed = new Promise<void>((resolve) => open(readerOf({ [Symbol.asyncDispose]: async () => resolve() })));
    await closed;
  });
  test('a source that does not open fails with STOPLOG_SOURCE, unless its error has a code already', async () => {
    const cause = new Error('no such queue');
    await expect(
      openSource(
        sourceOf(() => Promise.reject(cause)),
        START,
        undefined,
        new AbortController().signal,
      ),
    ).rejects.toMatchObject({ code: 'STOPLOG_SOURCE', cause, facts: { source: 'queue' } });
    const own = new StoplogError('STOPLOG_USAGE', {}, 'wrong');
    await expect(
      openSource(
        sourceOf(() => Promise.reject(own)),
        START,
        undefined,
        new AbortController().signal,
      ),
    ).rejects.toBe(own);
  });
});
