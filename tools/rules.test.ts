import { describe, expect, test } from 'vitest';
import { doorProblems } from './doors.ts';
import { floorProblems } from './floors.ts';
import { cycleProblems, deadProblems } from './graph.ts';
import { habitProblems, nameProblems } from './habits.ts';
import { sourceFile, type Workspace } from './sources.ts';

const workspace = (files: Readonly<Record<string, string>>): Workspace => ({
  files: Object.entries(files).map(([path, text]) => sourceFile(path, text)),
  packages: [
    {
      name: '@stoplog/core',
      folder: 'packages/core',
      bins: [],
      exports: new Map([
        ['@stoplog/core', 'packages/core/src/index.ts'],
        ['@stoplog/core/port', 'packages/core/src/port/index.ts'],
        ['@stoplog/core/kit', 'packages/core/src/kit/index.ts'],
      ]),
    },
    {
      name: '@stoplog/runtime',
      folder: 'packages/runtime',
      bins: [],
      exports: new Map([
        ['@stoplog/runtime', 'packages/runtime/src/index.ts'],
        ['@stoplog/runtime/kit', 'packages/runtime/src/kit/index.ts'],
      ]),
    },
  ],
});
/** What is said of one file; the rest of a sentence is its remedy. */
const floors = (path: string, text: string): readonly string[] => floorProblems(workspace({ [path]: text }));

describe('floors', () => {
  test('each finding says where, what, and what to do', () => {
    expect(floors('packages/core/src/pure/log/a.ts', "\nimport { open } from '../../client/open.ts';")).toEqual([
      "packages/core/src/pure/log/a.ts:2  imports '../../client/open.ts': pure/ does not reach up to client/; pure/ decides and takes what it needs as an argument; move this file to shell/, or hand the value in from there",
    ]);
  });
  test.each([
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
  ])('%s may say %s', (path, text) => expect(floors(path, text)).toEqual([]));
  test.each([
    ['packages/core/src/pure/a.ts', "import type { B } from '../port/b.ts';"],
    ['packages/core/src/pure/a.ts', "import 'node:fs';"],
    ['packages/core/src/pure/bytes/a.ts', "import 'node:zlib';"],
    ['packages/core/src/port/a.ts', "import { B } from '../pure/b.ts';"],
    ['packages/core/src/port/index.ts', "export { b } from '../pure/b.ts';"],
    ['packages/core/src/port/a.ts', "import type { B } from '../client/b.ts';"],
    ['packages/core/src/client/a.ts', "import '@stoplog/runtime';"],
    ['packages/core/src/client/a.ts', "import '../index.ts';"],
    ['packages/core/src/testing/a.ts', "import '../client/b.ts';"],
    ['packages/core/src/client/a.ts', "import '../../../runtime/src/index.ts';"],
    ['packages/runtime/src/pure/a.ts', "import '../shell/b.ts';"],
    ['packages/runtime/src/shell/a.ts', "import '@stoplog/core/dist/a.js';"],
    ['packages/runtime/src/testing/a.ts', "import 'node:worker_threads';"],
    ['packages/connectors/src/rxjs/a.ts', "import '@stoplog/runtime';"],
    ['packages/connectors/src/rxjs/a.ts', "import '../kafka/log.ts';"],
    ['packages/connectors/src/kafka/pure/a.ts', "import 'node:fs';"],
    ['packages/runtime/src/shell/a.test.ts', "import '../../../core/src/index.ts';"],
    ['packages/cli/src/text/a.ts', "import { b } from '../commands/b.ts';"],
    ['packages/cli/src/text/a.ts', "import 'node:fs';"],
    ['packages/cli/src/commands/a.ts', "import '../../../runtime/src/shell/run.ts';"],
    ['examples/src/a/main.ts', "import '../../../packages/core/src/index.ts';"],
  ])('%s may not say %s', (path, text) => expect(floors(path, text)).toHaveLength(1));
});

describe('doors', () => {
  const doors = (path: string, library: string): readonly string[] => doorProblems(workspace({ [path]: `import type { X } from '${library}';` }));
  test('a library comes in by its door', () => {
    expect(doors('packages/core/src/lmdb/tables/env.ts', 'lmdb')).toEqual([]);
    expect(doors('packages/runtime/src/shell/flow/lag.ts', 'rxjs/operators')).toEqual([]);
    expect(doors('packages/core/src/client/lmdb/env.test.ts', 'fast-check')).toEqual([]);
  });
  test('and by no other', () => {
    expect(doors('packages/core/src/lmdb/log.ts', 'lmdb')).toEqual([
      "packages/core/src/lmdb/log.ts:1  imports 'lmdb', whose door is packages/core/src/lmdb/tables/env.ts: import what you need from there, or add the missing function or type there",
    ]);
    expect(doors('packages/core/src/client/a.ts', 'left-pad')).toEqual([expect.stringContaining('has no door')]);
  });
  test('one file alone may know tsx', () => {
    const two = workspace({ 'packages/runtime/src/shell/a.ts': "import('tsx/esm/api');", 'packages/runtime/src/shell/b.ts': "import('tsx/esm/api');" });
    expect(doorProblems(two)).toEqual([expect.stringContaining('keep it in one file')]);
  });
});

describe('circles', () => {
  test('are told as the way round', () => {
    const round = workspace({ 'tools/a.ts': "import './b.ts';", 'tools/b.ts': "\nimport { c } from './c.ts';", 'tools/c.ts': "export { b } from './b.ts';" });
    expect(cycleProblems(round)).toEqual([
      'tools/b.ts:2  imports in a circle: tools/b.ts → tools/c.ts → tools/b.ts: move what both need to a file of its own, or import the type only',
    ]);
  });
  test('types and modules that are loaded later close none', () => {
    expect(
      cycleProblems(workspace({ 'tools/a.ts': "import './b.ts';", 'tools/b.ts': "import type { A } from './a.ts'; export const a = () => import('./a.ts');" })),
    ).toEqual([]);
  });
});

describe('dead files', () => {
  test('what an entry reaches lives, also by address', () => {
    const live = {
      'packages/core/src/index.ts': "import './a.ts';",
      'packages/core/src/a.ts': "new URL('./worker.js', import.meta.url);",
      'packages/core/src/worker.ts': '',
    };
    expect(deadProblems(workspace(live))).toEqual([]);
  });
  test('what nothing reaches is dead, and what tests alone reach is told apart', () => {
    const files = {
      'packages/core/src/a.ts': '',
      'packages/core/src/b.ts': '',
      'packages/core/src/c.fixture.ts': '',
      'packages/core/src/b.test.ts': "import './b.ts'; import './c.fixture.ts';",
    };
    expect(deadProblems(workspace(files))).toEqual([expect.stringContaining('a.ts:1  is dead'), expect.stringContaining('b.ts:1  is reached by tests alone')]);
  });
});

describe('habits', () => {
  const habits = (text: string, path = 'packages/core/src/pure/a.ts'): readonly string[] => habitProblems(workspace({ [path]: text }));
  test.each([
    'Date.now()',
    'new Date()',
    'Math.random()',
    'setTimeout(f, 1)',
    'await x',
    'async () => 1',
    'new Promise(f)',
    'Promise.all([])',
    'process.env.X',
    'db.transaction(f)',
  ])('pure code may not say %s', (text) => expect(habits(text)).toHaveLength(1));
  test.each([
    'new Date(0)',
    '// Date.now()',
    "'Math.random()'",
    'type F = () => Promise<void>',
    'stream.process(f)',
    'awaited(x)',
    'const o = { async: true }',
  ])('pure code may say %s', (text) => expect(habits(text)).toEqual([]));
  test('a shell may wait, but may not use a transaction that keeps half', () => {
    expect(habits('await Date.now()', 'packages/core/src/client/a.ts')).toEqual([]);
    expect(habits('env.transaction(f)', 'packages/core/src/client/a.ts')).toHaveLength(1);
  });
});

test('names that say nothing are refused', () => {
  expect(
    nameProblems(
      workspace({
        'packages/core/src/utils.ts': '',
        'packages/core/src/common/a.ts': '',
        'packages/core/src/pure/types.ts': '',
        'packages/core/src/pure/batch.ts': '',
      }),
    ),
  ).toHaveLength(3);
});
