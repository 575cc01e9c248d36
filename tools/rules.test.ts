import { describe, expect, test } from 'vitest';
import { deadProblems } from './graph.ts';
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
describe('dead files', () => {
  test('a file that an entry reaches lives, also by address', () => {
    const live = {
      'packages/core/src/index.ts': "import './a.ts';",
      'packages/core/src/a.ts': "new URL('./worker.js', import.meta.url);",
      'packages/core/src/worker.ts': '',
    };
    expect(deadProblems(workspace(live))).toEqual([]);
  });
  test('a file that nothing reaches is dead, and one that tests alone reach is told apart', () => {
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
