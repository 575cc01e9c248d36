/**
 * The examples in docstrings as documents, one block for each example, for the compiler run of the documents.
 *
 * An example is an excerpt: it names our exports, and topics such as `orders`, without importing them. Its block begins with the imports of
 * the names that it mentions and does not declare, in its first line, so that the lines of the two agree.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Block, Document } from './markdown.ts';

/** The modules that examples import from, and where their exports are declared, from the root. */
const ENTRIES: Readonly<Record<string, string>> = {
  '@stoplog/core': 'packages/core/src/index.ts',
  '@stoplog/core/kit': 'packages/core/src/kit/index.ts',
  '@stoplog/core/lmdb': 'packages/core/src/lmdb/index.ts',
  '@stoplog/core/testing': 'packages/core/src/testing/index.ts',
  '@stoplog/core/testing/contract': 'packages/core/src/testing/contract.ts',
  '@stoplog/core/tools': 'packages/core/src/tools/index.ts',
  '@stoplog/connectors/rxjs': 'packages/connectors/src/rxjs/index.ts',
  '@stoplog/connectors/http': 'packages/connectors/src/http/index.ts',
  '@stoplog/connectors/postgres': 'packages/connectors/src/sql/postgres/index.ts',
  '@stoplog/connectors/sqlite': 'packages/connectors/src/sql/sqlite/index.ts',
  '@stoplog/runtime': 'packages/runtime/src/index.ts',
  '@stoplog/runtime/testing': 'packages/runtime/src/testing/index.ts',
};
/** Exports of other modules that examples mention. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'node:fs': ['mkdtempSync', 'rmSync'],
  'node:os': ['tmpdir'],
  'node:path': ['join'],
  rxjs: ['interval'],
  vitest: ['expect', 'test'],
  zod: ['z'],
};
/** The names that stand for a program's own topics, stores and values. */
export const CAST = 'tools/cast.txt';

/** `castFrom`: how a block imports the file of the cast. */
export const readExamples = (root: string, castFrom: string): readonly Document[] => {
  const modules: Readonly<Record<string, readonly string[]>> = {
    [castFrom]: exportsIn(readFileSync(join(root, CAST), 'utf8')),
    ...OTHERS,
    ...Object.fromEntries(Object.entries(ENTRIES).map(([module, file]) => [module, exportsIn(readFileSync(join(root, file), 'utf8'))])),
  };
  return sourcesIn(root).map((path) => ({ path, blocks: examplesIn(readFileSync(join(root, path), 'utf8')).map((block) => importing(block, modules)) }));
};

const sourcesIn = (root: string): readonly string[] =>
  readdirSync(join(root, 'packages')).flatMap((name) =>
    readdirSync(join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !dirname(file).split('/').includes('fixtures'))
      .map((file) => `packages/${name}/src/${file}`)
      .toSorted(),
  );

/** The examples of a file, each from the line after its `@example` to the end of the comment or the next tag. */
export const examplesIn = (source: string): readonly Block[] => {
  const lines = source.split('\n');
  return lines.flatMap((line, at) => {
    if (!/^\s*\* @example$/.test(line)) return [];
    const rest = lines.slice(at + 1);
    const inside = rest.slice(
      0,
      rest.findIndex((one) => /^\s*\*(\/| @)/.test(one)),
    );
    return [{ language: 'ts', line: at + 2, text: inside.map((one) => one.replace(/^\s*\* ?/, '')).join('\n'), remark: undefined }];
  });
};

/** Names that a module exports; a type with the word in front, as an import has it. */
const exportsIn = (source: string): readonly string[] => [
  ...[...source.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, ofTypes = '', names]) =>
    names!
      .split(',')
      .map((name) => name.trim().split(' as ').at(-1)!)
      .filter((name) => name !== '')
      .map((name) => (ofTypes === '' || name.startsWith('type ') ? name : `type ${name}`)),
  ),
  ...[...source.matchAll(/^export (?:declare )?(?:async )?(?:const|function|class) (\w+)/gm)].map(([, name]) => name!),
];

/** The block with its imports; `modules`: the names that each exports; the first that exports a name counts. */
export const importing = (block: Block, modules: Readonly<Record<string, readonly string[]>>): Block => {
  const { text } = block;
  const isNeeded = (exported: string): boolean => {
    const name = exported.replace(/^type /, '');
    const mentioned = new RegExp(`(?<![\\w.'])${name}(?![\\w'])`).test(text);
    return mentioned && !new RegExp(`^(?:await using|const|let|function|class) ${name}\\b|^import .*\\b${name}\\b`, 'm').test(text);
  };
  const taken = new Set<string>();
  const imports = Object.entries(modules).flatMap(([module, names]) => {
    const needed = names.filter((name) => !taken.has(name) && isNeeded(name));
    for (const name of needed) taken.add(name);
    return needed.length === 0 ? [] : [`import { ${needed.join(', ')} } from '${module}';`];
  });
  return { ...block, text: ['export {};', ...imports, text].join(' ') };
};
