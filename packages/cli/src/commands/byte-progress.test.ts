import { expect, test } from 'vitest';
import { withProgress } from './byte-progress.ts';

test('Ctrl-C and SIGTERM end a copy, each with its own exit code; a failure is thrown', async () => {
  for (const [signal, interrupted] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const endless = withProgress(
      'copying',
      (watch) => new Promise<never>((_, reject) => watch.signal!.addEventListener('abort', () => reject(watch.signal!.reason as Error))),
    );
    process.emit(signal);
    expect(await endless).toEqual({ made: undefined, interrupted });
  }
  await expect(withProgress('copying', () => Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full');
  expect(await withProgress('copying', () => Promise.resolve({ bytes: 1 }))).toEqual({ made: { bytes: 1 } });
});
