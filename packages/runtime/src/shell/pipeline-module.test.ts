import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { start, type Ended } from './fixtures/child.ts';
import { withProject, type Project } from './fixtures/project.ts';

const HEAD = `
import { isMainThread } from 'node:worker_threads';
import { createServer } from 'node:http';
import { topic } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { pipeline, run, stream } from '@stoplog/runtime';
import { z } from 'zod';
const t = (name) => topic(name, { key: z.string(), value: z.string(), partitions: 2 });
`;
const TAIL = `export default pipeline('p', stream(t('in')).to(t('out')));`;
const SELF = `run(new URL(import.meta.url), { log: lmdb('./never') })`;
const CONVENTION = /A pipeline module only declares: {3}export default pipeline\('orders', \.\.\.\)/;

const startOn = ({ app, data }: Project, path: string): ReturnType<typeof start> => start(app, [data, path, '{"logger":"none"}'], { limitMs: 30_000 });
/** Runs a program until its pipeline module is refused; returns the error that it printed. */
const refusal = async (project: Project, path: string): Promise<{ readonly code: string; readonly message: string }> => {
  const child = startOn(project, path);
  const heard = await child.heard<{ readonly code: string; readonly message: string }>('refused');
  expect((await child.ended).signal).toBe(null);
  return heard;
};
const runs = async (project: Project, path: string): Promise<Ended> => {
  const child = startOn(project, path);
  await child.said('running');
  child.send('dispose');
  return child.ended;
};

test('an unknown option of run is refused before anything is loaded', async () => {
  await expect(run(new URL('file:///nowhere.js'), { log: lmdb('./never'), threds: 2 } as never)).rejects.toMatchObject({
    code: 'STOPLOG_USAGE',
    message: expect.stringMatching(/run\(…\) knows no setting 'threds': it takes log, threads,/),
  });
});

test.each([
  [
    'a path',
    './x.ts',
    { log: lmdb('./never') },
    /run\(…\) needs the URL of a pipeline module, and '\.\/x\.ts' is none: write run\(new URL\('\.\/x\.ts', import\.meta\.url\), …\)/,
  ],
  ['no URL', undefined, { log: lmdb('./never') }, /run\(…\) needs the URL of a pipeline module, and undefined is none/],
  [
    'the path of a log',
    new URL('file:///nowhere.js'),
    { log: './data' },
    /a log is what lmdb\(…\) returns, and '\.\/data' is none: write lmdb\('\.\/data'\), from '@stoplog\/core\/lmdb'/,
  ],
  ['no log', new URL('file:///nowhere.js'), {}, /a log is what lmdb\(…\) returns, and undefined is none/],
  ['no options', new URL('file:///nowhere.js'), undefined, /run\(…\) needs settings/],
])('run refuses %s before it loads anything', async (_, url, options, message) => {
  await expect(run(url as never, options as never)).rejects.toMatchObject({ code: 'STOPLOG_USAGE', message: expect.stringMatching(message) });
});

describe('a pipeline module is refused with the remedy when it', () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['has no default export', `${HEAD} export const p = pipeline('p', stream(t('in')).to(t('out')));`, /has no default export/],
    ['exports something else by default', `${HEAD} export default { name: 'p' };`, /exports a.* object by default/],
    ['runs itself and waits for it', `${HEAD} await ${SELF};\n${TAIL}`, /starts an app while it is being imported/],
    ['runs itself in threads only', `${HEAD} if (!isMainThread) await ${SELF};\n${TAIL}`, /starts an app while it is being imported/],
    ['starts a timer', `${HEAD} setInterval(() => {}, 1000);\n${TAIL}`, /\(a timer\)/],
    ['starts a server', `${HEAD} createServer().listen(0);\n${TAIL}`, /\(a server\)/],
    [
      'starts a server at a port of its own',
      `${HEAD} createServer().listen(process.pid % 20000 + 20000, '127.0.0.1');\n${TAIL}`,
      /starts something while it is being imported/,
    ],
    [
      'lets go of a promise that is rejected, in threads',
      `${HEAD} if (!isMainThread) void Promise.reject(new Error('no such host'));\n${TAIL}`,
      /failed in a thread: no such host/,
    ],
    [
      'declares something else each time',
      `${HEAD} export default pipeline('p', stream(t('in')).to(t('out' + Math.random())));`,
      /declares another pipeline each time/,
    ],
  ];
  test.each(cases)('%s', async (_, text, says) => {
    await withProject({ tsx: false }, async (project) => {
      const { code, message } = await refusal(project, project.write('p.mjs', text));
      expect(code).toBe('STOPLOG_PIPELINE_MODULE');
      expect(message).toMatch(says);
      if (!/another pipeline/.test(message)) expect(message).toMatch(CONVENTION);
    });
  });

  test('a pipeline module that throws, or imports a missing module, is refused', async () => {
    await withProject({ tsx: false }, async (project) => {
      const threw = await refusal(project, project.write('p.mjs', `${HEAD} throw new Error('no such table');\n${TAIL}`));
      expect(threw).toMatchObject({
        code: 'STOPLOG_PIPELINE_MODULE',
        message: expect.stringMatching(/p\.mjs cannot be imported: no such table.*\n.*Correct it/),
      });
      const onlyThere = await refusal(project, project.write('q.mjs', `${HEAD} if (!isMainThread) await import('./not-there.mjs');\n${TAIL}`));
      expect(onlyThere).toMatchObject({
        code: 'STOPLOG_PIPELINE_MODULE',
        message: expect.stringMatching(/q\.mjs cannot be imported[^]*not-there\.mjs[^]*Check the path/),
      });
      const missing = await refusal(project, `${project.data}/nowhere.mjs`);
      expect(missing).toMatchObject({ code: 'STOPLOG_PIPELINE_MODULE', message: expect.stringMatching(/nowhere\.mjs cannot be imported[^]*Check the path/) });
    });
  });

  test('a pipeline module that runs itself without awaiting it ends the program', async () => {
    await withProject({ tsx: false }, async (project) => {
      const child = startOn(project, project.write('p.mjs', `${HEAD} ${SELF};\n${TAIL}`));
      const { code, errors } = await child.ended;
      expect(code).toBe(1);
      expect(errors).toMatch(/STOPLOG_PIPELINE_MODULE/);
      expect(errors).toMatch(CONVENTION);
    });
  });

  test('a pipeline module that is started as the program is refused', async () => {
    await withProject({ tsx: false }, async (project) => {
      const child = start(project.write('p.mjs', `${HEAD} ${SELF};\n${TAIL}`), [project.data]);
      const { code, errors } = await child.ended;
      expect(code).toBe(1);
      expect(errors).toMatch(CONVENTION);
    });
  });
});

describe('a pipeline module in CommonJS', () => {
  const REQUIRES = `
const { topic } = require('@stoplog/core');
const { pipeline, stream } = require('@stoplog/runtime');
const { z } = require('zod');
const t = (name) => topic(name, { key: z.string(), value: z.string(), partitions: 2 });
const p = pipeline('p', stream(t('in')).to(t('out')));
`;
  test.each([
    [
      'as a compiler makes it of `export default`',
      `"use strict"; Object.defineProperty(exports, '__esModule', { value: true });\n${REQUIRES}\nexports.default = p;`,
    ],
    ['as its module.exports', `${REQUIRES}\nmodule.exports = p;`],
    ['as a default among others', `${REQUIRES}\nmodule.exports = { default: p, other: 1 };`],
  ])('runs where it exports the pipeline %s', async (_, text) => {
    await withProject({ tsx: false, type: 'commonjs' }, async (project) => {
      expect(await runs(project, project.write('p.js', text))).toMatchObject({ code: 0, errors: '' });
      expect(await runs(project, project.write('p.cjs', text))).toMatchObject({ code: 0, errors: '' });
    });
  });
});

describe('a pipeline module in TypeScript', () => {
  const TYPED = `${HEAD.replace('(name)', '(name: string)')} ${TAIL}`;
  // Syntax that only a compiler can remove: no version of Node strips it.
  const WITH_ENUM = `${TYPED}\nenum Rank { low, high }\nexport const rank: Rank = Rank.low;`;

  test('a TypeScript module runs if the project has tsx', async () => {
    await withProject({ tsx: true }, async (project) => {
      for (const [name, text] of [
        ['p.ts', TYPED],
        ['with-enum.ts', WITH_ENUM],
      ] as const)
        expect(await runs(project, project.write(name, text))).toMatchObject({ code: 0, errors: '' });
    });
  });

  test('a TypeScript module is an ES module by its name, if not by its package', async () => {
    await withProject({ tsx: true, type: 'commonjs' }, async (project) => {
      expect(await runs(project, project.write('p.mts', TYPED))).toMatchObject({ code: 0, errors: '' });
      if ((process.features as { readonly typescript?: string | false }).typescript) return;
      const { code, message } = await refusal(project, project.write('p.ts', TYPED));
      expect(code).toBe('STOPLOG_PIPELINE_MODULE');
      expect(message).toMatch(/"type": "module".*\.mts/);
    });
  });

  test('a TypeScript module is found by the name of its compiled file, as the compiler finds it', async () => {
    await withProject({ tsx: true }, async (project) => {
      const path = project.write('p.ts', TYPED);
      expect(await runs(project, path.replace(/ts$/, 'js'))).toMatchObject({ code: 0, errors: '' });
    });
  });
  test('a JavaScript module of a program under tsx finds TypeScript by the name of its compiled file in every thread', async () => {
    await withProject({ tsx: true }, async (project) => {
      project.write('given.ts', `export const given: string = 'in';`);
      const path = project.write('p.js', `${HEAD} import { given } from './given.js';\nexport default pipeline('p', stream(t(given)).to(t('out')));`);
      const child = start(project.app, [project.data, path, '{"logger":"none"}'], { limitMs: 60_000, nodeArgs: ['--import', 'tsx'], cwd: dirname(path) });
      await child.said('running');
      child.send('dispose');
      expect(await child.ended).toMatchObject({ code: 0, errors: '' });
    });
  });
  test('a TypeScript module without tsx is refused with both remedies, if Node does not run it by itself', async () => {
    await withProject({ tsx: false }, async (project) => {
      const strips = Boolean((process.features as { readonly typescript?: string | false }).typescript);
      if (strips) expect(await runs(project, project.write('p.ts', TYPED))).toMatchObject({ code: 0, errors: '' });
      const { code, message } = await refusal(project, project.write('with-enum.ts', WITH_ENUM));
      expect(code).toBe('STOPLOG_PIPELINE_MODULE');
      expect(message).toMatch(/install tsx/);
    });
  });
});
