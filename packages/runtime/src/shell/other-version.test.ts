import { lmdb } from '@stoplog/core/lmdb';
import { type App, type AppEvent, run, type RunOptions } from '@stoplog/runtime';
import { expect, test } from 'vitest';
import { withFolder } from './fixtures/child.ts';

const start = (folder: string, options: Omit<RunOptions, 'log'>): Promise<App> =>
  run(new URL('./fixtures/picky.pipeline.mjs', import.meta.url), { log: lmdb(folder), threads: 1, logger: 'none', ...options });
/** The first report of another program. */
const reported = async (app: App): Promise<Extract<AppEvent, { readonly type: 'other-version' }>> => {
  for await (const event of app.events) if (event.type === 'other-version') return event;
  throw new Error('the app has ended without the report');
};

test('two versions of a program in one group are reported to both, and one that refuses others does not start', async () => {
  await withFolder(async (folder) => {
    await using older = await start(folder, { version: '1.0.0' });
    const toOlder = reported(older);
    await expect(start(folder, { version: '1.1.0', otherVersions: 'refuse' })).rejects.toMatchObject({
      code: 'STOPLOG_OTHER_VERSION',
      message: expect.stringMatching(/1\.0\.0.*1\.1\.0/),
    });
    await using newer = await start(folder, { version: '1.1.0' });
    expect((await toOlder).others).toEqual([expect.stringMatching(/^[0-9a-f]{12} 1\.1\.0$/)]);
    expect((await toOlder).own).toMatch(/ 1\.0\.0$/);
    await newer.settled();
  });
});

test('two processes of one program report nothing, and a version may follow another one', async () => {
  await withFolder(async (folder) => {
    const first = await start(folder, {});
    const types: string[] = [];
    first.events.subscribe(({ type }) => types.push(type));
    const second = await start(folder, { otherVersions: 'refuse' });
    await first[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    await using later = await start(folder, { version: 'later', otherVersions: 'refuse' });
    await later.settled();
    expect(types).toContain('ended');
    expect(types).not.toContain('other-version');
  });
});

test.each([{ otherVersions: 'reject' }, { version: '' }, { version: 7 }])(
  'a setting that says nothing about versions is refused by name: %o',
  async (setting) => {
    await expect(start('/nowhere', setting as never)).rejects.toMatchObject({
      code: 'STOPLOG_USAGE',
      message: expect.stringContaining(Object.keys(setting)[0]!),
    });
  },
);
