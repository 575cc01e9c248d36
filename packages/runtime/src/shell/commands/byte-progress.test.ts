import { expect, test } from 'vitest';
import { withProgress } from './byte-progress.ts';

test('what is under way ends at Ctrl-C, and is told from what failed', async () => {
  const endless = withProgress('copying', ({ signal }) => new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error))));
  process.emit('SIGINT');
  expect(await endless).toBeUndefined();
  await expect(withProgress('copying', () => Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full');
  expect(await withProgress('copying', () => Promise.resolve('done'))).toBe('done');
});
