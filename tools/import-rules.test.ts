/** Each rule about imports catches the imports that it forbids, with its remedy, and leaves their neighbours alone. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importProblems } from './import-rules.ts';
import { importsOf } from './imports.ts';
import { sourceFile, type Package } from './sources.ts';

/**
 * Imports are judged in a folder of their own, all at once: each case is a file, its targets are empty ones. `a.ts` gets the
 * number of its case into its name, so that many cases may be in one folder.
 */
const ALLOWED: readonly (readonly [path: string, text: string])[] = [
  ['packages/core/src/pure/a.ts', "import './b.ts'; import '../pure/log/c.ts';"],
  ['packages/core/src/pure/bytes/checksum.ts', "import { crc32 } from 'node:zlib';"],
  ['packages/core/src/port/a.ts', "import type { B } from '../pure/b.ts'; import type { MessagePort } from 'node:worker_threads';"],
  ['packages/core/src/port/index.ts', "export type { B } from '../pure/b.ts'; export type { C } from './c.ts';"],
  ['packages/core/src/kit/index.ts', "export { b } from '../pure/b.ts'; export { c } from '../client/c.ts';"],
  ['packages/core/src/client/a.ts', "import { b } from '../pure/b.ts'; import 'node:fs';"],
  ['packages/core/src/testing/a.ts', "import { b } from '../pure/b.ts'; import { test } from 'vitest';"],
  ['packages/core/src/index.ts', "export { a } from './client/a.ts';"],
  ['packages/runtime/src/pure/a.ts', "import type { B } from '@stoplog/core/port'; import { c } from '@stoplog/core/kit';"],
  ['packages/runtime/src/shell/a.ts', "import { b } from '@stoplog/core'; import { c } from '../pure/c.ts';"],
  ['packages/connectors/src/rxjs/a.ts', "import { b } from '@stoplog/core'; import './c.ts';"],
  ['packages/core/src/client/a.test.ts', "import { b } from '../testing/b.ts'; import '@stoplog/runtime';"],
  ['packages/cli/src/commands/a.ts', "import { b } from '@stoplog/runtime/kit'; import { c } from '../text/c.ts'; import 'node:fs';"],
  ['examples/src/a/main.ts', "import '@stoplog/core'; import '@stoplog/runtime';"],
  ['packages/core/src/lmdb/tables/env.ts', "import type { X } from 'lmdb';"],
  ['packages/runtime/src/shell/status/lag.ts', "import { map } from 'rxjs/operators';"],
  ['packages/core/src/client/b.test.ts', "import fc from 'fast-check';"],
  ['packages/core/src/lmdb/writer/a.ts', "import '../tables/b.ts'; import '../layout/c.ts';"],
];
const REFUSED: readonly (readonly [path: string, text: string, remedy: string])[] = [
  ['packages/core/src/pure/a.ts', "import type { B } from '../port/b.ts';", 'other floors than its own'],
  ['packages/core/src/pure/a.ts', "import 'node:fs';", 'knows no machine'],
  ['packages/core/src/pure/bytes/a.ts', "import 'node:zlib';", 'knows no machine'],
  ['packages/core/src/port/a.ts', "import { B } from '../pure/b.ts';", 'holds types only'],
  ['packages/core/src/port/a.ts', "export { b } from '../pure/b.ts';", 'holds types only'],
  ['packages/core/src/port/a.ts', "import type { B } from '../client/b.ts';", 'other floors than pure/'],
  ['packages/core/src/client/a.ts', "import '@stoplog/runtime';", 'imports no other entry'],
  ['packages/core/src/client/a.ts', "import '../index.ts';", 'does not reach up'],
  ['packages/core/src/testing/a.ts', "import '../client/b.ts';", 'other floors than pure/, port/'],
  ['packages/core/src/client/a.ts', "import '../../../runtime/src/index.ts';", 'never into the sources'],
  ['packages/runtime/src/pure/a.ts', "import '../shell/b.ts';", 'other floors than its own'],
  ['packages/runtime/src/shell/a.ts', "import '@stoplog/core/dist/a.js';", 'no such entry'],
  ['packages/runtime/src/testing/a.ts', "import 'node:worker_threads';", 'starts no thread'],
  ['packages/connectors/src/rxjs/a.ts', "import '@stoplog/runtime';", 'connectors imports only @stoplog/core'],
  ['packages/connectors/src/rxjs/a.ts', "import '../kafka/log.ts';", 'never import each other'],
  ['packages/connectors/src/kafka/pure/a.ts', "import 'node:fs';", 'knows no machine'],
  ['packages/runtime/src/shell/a.test.ts', "import '../../../core/src/index.ts';", 'never into the sources'],
  ['packages/cli/src/text/a.ts', "import { b } from '../commands/b.ts';", 'other floors than its own'],
  ['packages/cli/src/text/a.ts', "import 'node:fs';", 'knows no machine'],
  ['packages/cli/src/commands/a.ts', "import '../../../runtime/src/shell/run.ts';", 'never into the sources'],
  ['examples/src/b/main.ts', "import '../../../packages/core/src/index.ts';", 'never into the sources'],
  ['packages/core/src/lmdb/a.ts', "import type { X } from 'lmdb';", "the door of 'lmdb' is packages/core/src/lmdb/tables/env.ts"],
  ['packages/runtime/src/shell/a.ts', "import('tsx/esm/api');", "the door of 'tsx' is packages/runtime/src/shell/typescript.ts"],
  ['packages/core/src/client/a.ts', "import type { X } from 'left-pad';", 'has no door'],
  ['packages/core/src/client/a.test.ts', "import './c.test.ts';", 'move what both need to a file in fixtures/'],
  ['packages/core/src/client/a.ts', "import './fixtures/c.ts';", 'move what is needed to a file of its own'],
  ['packages/core/src/lmdb/tables/a.ts', "import type { B } from '../transaction/b.ts';", 'tables/ is below transaction/'],
  ['packages/core/src/lmdb/doctor/a.ts', "import { b } from '../cleaner/b.ts';", 'doctor/ is below cleaner/'],
];

const CIRCLES: Readonly<Record<string, string>> = {
  'tools/round.ts': "import { b } from './back.ts';",
  'tools/back.ts': "import type { A } from './round.ts';",
  'tools/later.ts': "import { c } from './lazy.ts';",
  'tools/lazy.ts': "export const load = () => import('./later.ts');",
};

const entry = (name: string, source: string): readonly [string, string] => [name, `packages/${source}`];
const packages: readonly Package[] = [
  {
    name: '@stoplog/core',
    folder: 'packages/core',
    bins: [],
    exports: new Map([
      entry('@stoplog/core', 'core/src/index.ts'),
      entry('@stoplog/core/port', 'core/src/port/index.ts'),
      entry('@stoplog/core/kit', 'core/src/kit/index.ts'),
    ]),
  },
  {
    name: '@stoplog/runtime',
    folder: 'packages/runtime',
    bins: [],
    exports: new Map([entry('@stoplog/runtime', 'runtime/src/index.ts'), entry('@stoplog/runtime/kit', 'runtime/src/kit/index.ts')]),
  },
];

const numbered = (path: string, name: string): string => path.replace(/\/a(?=\.)/, `/a${name}`);
const allowed = ALLOWED.map(([path, text], i) => [numbered(path, `-allowed-${i}`), text] as const);
const refused = REFUSED.map(([path, text, remedy], i) => [numbered(path, `-refused-${i}`), text, remedy] as const);
const root = mkdtempSync(join(tmpdir(), 'stoplog-imports-'));
let problems: readonly string[] = [];

beforeAll(async () => {
  const files: Readonly<Record<string, string>> = {
    ...Object.fromEntries([...allowed, ...refused].map(([path, text]) => [path, text])),
    ...CIRCLES,
  };
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  for (const [path, text] of Object.entries(files))
    for (const { specifier } of importsOf(text)) {
      const target = posix.join(posix.dirname(path), specifier);
      if (specifier.startsWith('.') && !existsSync(join(root, target))) put(target, 'export {};');
    }
  for (const { name, folder, exports } of packages) {
    const built = new Map([...exports].map(([as, source]) => [as.replace(name, '.'), source.replace(`${folder}/src/`, './dist/').replace(/ts$/, 'js')]));
    put(`${folder}/package.json`, JSON.stringify({ name, type: 'module', exports: Object.fromEntries(built) }));
    for (const path of built.values()) put(join(folder, path), 'export {};');
    mkdirSync(join(root, 'node_modules/@stoplog'), { recursive: true });
    symlinkSync(join(root, folder), join(root, 'node_modules', name), 'dir');
  }
  problems = await importProblems(root, { files: Object.entries(files).map(([path, text]) => sourceFile(path, text)), packages });
}, 120_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const about = (path: string): readonly string[] => problems.filter((problem) => problem.startsWith(`${path}  `));

describe('a rule about imports', () => {
  test.each(allowed)('lets %s say %s', (path) => expect(about(path)).toEqual([]));
  test.each(refused)('a rule catches %s that says %s', (path, _, remedy) => expect(about(path)).toEqual([expect.stringContaining(remedy)]));
  test('a finding says where, what, and what to do', () => {
    const [path] = refused[0]!;
    expect(about(path)).toEqual([
      `${path}  imports packages/core/src/port/b.ts: pure/ does not reach up to other floors than its own; pure/ decides and takes what it needs as an argument; move this file to shell/, or hand the value in from there`,
    ]);
  });
  test('a circle is caught, also one that a type closes, with the way round', () => {
    expect(problems.filter((problem) => problem.includes('in a circle'))).toEqual([
      'tools/back.ts  tools/back.ts → tools/round.ts → tools/back.ts: imports in a circle: move what both need, types too, to a file of its own',
    ]);
  });
});
