import { expect, test } from 'vitest';
import { besideModule } from './bundled.ts';
import { openLog } from './open.ts';

const refusal = {
  code: 'STOPLOG_USAGE',
  facts: { missing: expect.stringMatching(/thread\.js$/) },
  message: expect.stringMatching(/thread\.js is not there, because a bundler took.*--packages=external.*externals/),
};

test('a module that was bundled away from the files of its threads is refused with the settings of three bundlers', () => {
  expect(besideModule('./open.ts', import.meta.url).href).toBe(new URL('./open.ts', import.meta.url).href);
  expect(() => besideModule('./thread.js', import.meta.url)).toThrow(expect.objectContaining(refusal));
  expect(() => besideModule('./thread.js', undefined)).toThrow(expect.objectContaining(refusal));
});

test('openLog refuses a log whose module a bundler left behind', async () => {
  await expect(openLog({ module: new URL('./thread.js', import.meta.url).href, options: undefined })).rejects.toMatchObject(refusal);
});
