/**
 * Lays the documents out as code in `.cache/docs`: a folder for each document, a file for each TypeScript block. They import
 * our packages by name, as a reader would, because the folder borrows the `node_modules` of examples/.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CAST, readExamples } from './docstrings.ts';
import { agrees, blocksOf, exchangesOf, nameOf, type Block, type Document } from './markdown.ts';
import { readWorkspace } from './sources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, '.cache/docs');
const folderOf = ({ path }: Document): string => path.replace(/\.md$/, '').replaceAll('/', '-').toLowerCase();

export const readDocuments = (top: string = root): readonly Document[] =>
  [...markdownIn(top, '.', false), ...['docs', 'packages', 'examples', 'benchmarks', 'reliability'].flatMap((folder) => markdownIn(top, folder, true))].map(
    (path) => ({
      path,
      blocks: blocksOf(readFileSync(join(top, path), 'utf8')),
    }),
  );

const markdownIn = (top: string, folder: string, deep: boolean): readonly string[] =>
  existsSync(join(top, folder))
    ? readdirSync(join(top, folder), { withFileTypes: true }).flatMap((entry) => {
        const path = posix.join(folder, entry.name);
        if (entry.isDirectory()) return deep && !['node_modules', 'dist'].includes(entry.name) ? markdownIn(top, path, true) : [];
        return entry.name.endsWith('.md') && entry.name !== 'CHANGELOG.md' ? [path] : [];
      })
    : [];

/** The examples in docstrings, as documents beside the others. */
export const readDocstrings = (): readonly Document[] => readExamples(root, '../cast.ts');

/** Writes every TypeScript block to its file; returns the faults of the documents themselves. */
export const layOut = (documents: readonly Document[]): readonly string[] => {
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(join(cache, 'bin'), { recursive: true });
  symlinkSync(join(root, 'examples/node_modules'), join(cache, 'node_modules'), 'dir');
  writeFileSync(join(cache, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(
    join(cache, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.base.json',
      compilerOptions: {
        composite: false,
        declaration: false,
        declarationMap: false,
        noEmit: true,
        rootDir: '.',
        tsBuildInfoFile: null,
        noUnusedLocals: false,
        noUnusedParameters: false,
      },
      include: ['cast.ts', '*/**/*.ts'],
      exclude: ['node_modules'],
    }),
  );
  for (const [name, script] of programs()) {
    writeFileSync(join(cache, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(cache, 'bin', name), 0o755);
  }
  copyFileSync(join(root, CAST), join(cache, 'cast.ts'));
  const taken = new Set<string>();
  return documents.flatMap((document) =>
    typescriptOf(document).flatMap((block) => {
      const file = fileOf(document, block);
      if (taken.has(file)) return [`${document.path}:${block.line}  '${nameOf(block)}' exists already, further up: give one of the two another name`];
      taken.add(file);
      mkdirSync(dirname(join(cache, file)), { recursive: true });
      writeFileSync(join(cache, file), block.text);
      return [];
    }),
  );
};

/** The programs that a transcript may call: our own as built, and an `npx` that starts them without asking a registry. */
const programs = (): readonly (readonly [string, string])[] => [
  ['npx', 'exec "$@"'],
  ...readWorkspace(root).packages.flatMap(({ bins }) =>
    bins.map((source) => ['stoplog', `exec node '${join(root, source.replace('/src/', '/dist/').replace(/\.ts$/, '.js'))}' "$@"`] as const),
  ),
];

const typescriptOf = ({ blocks }: Document): readonly Block[] => blocks.filter(({ language }) => language === 'ts' || language === 'typescript');
const fileOf = (document: Document, block: Block): string => posix.join(folderOf(document), nameOf(block) ?? `line-${block.line}.ts`);

/** Runs the compiler once over all documents; moves its errors to the lines of the documents. */
export const compile = (documents: readonly Document[]): readonly string[] => {
  if (documents.every((document) => typescriptOf(document).length === 0)) return [];
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', cache, '--pretty', 'false'], {
    cwd: cache,
    encoding: 'utf8',
  });
  const places = new Map(
    documents.flatMap((document) => typescriptOf(document).map((block) => [fileOf(document, block), { path: document.path, line: block.line }] as const)),
  );
  const errors = stdout.split('\n').filter((line) => /error TS/.test(line));
  if (status !== 0 && errors.length === 0) return [`the compiler ended with ${status}: ${stdout}${stderr}`];
  return errors.map((line) => {
    const [, file, at, text] = /^(.+?)\((\d+),\d+\): error (.*)$/.exec(line) ?? [];
    const place = file === undefined ? undefined : places.get(file);
    return place === undefined ? line : `${place.path}:${place.line + Number(at) - 1}  ${text}`;
  });
};

export const transcriptsOf = (documents: readonly Document[]): readonly (readonly [string, Document, Block])[] =>
  documents.flatMap((document) =>
    document.blocks
      .filter(({ language, remark }) => language === 'console' && /^replay\b/.test(remark ?? ''))
      .map((block) => [`${document.path}:${block.line}`, document, block] as const),
  );

/** Runs the commands of a transcript one after the other; returns the first that prints something else. */
export const replay = (document: Document, block: Block): string | undefined => {
  const named = /^replay in (\S+)$/.exec(block.remark ?? '')?.[1];
  const cwd = named === undefined ? join(cache, folderOf(document)) : join(root, named);
  mkdirSync(cwd, { recursive: true });
  const env = { ...process.env, NO_COLOR: '1', PATH: [join(cache, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter) };
  for (const { command, line, output } of exchangesOf(block)) {
    const { stdout, status, signal } = spawnSync('bash', ['-c', `${command} 2>&1`], { cwd, env, encoding: 'utf8', timeout: 240_000 });
    const printed = stdout.split('\n');
    if (!agrees(output, printed))
      return `${document.path}:${line}  \`${command}\` now prints (exit ${status ?? signal}):\n${stdout}\n  the document shows:\n${output.join('\n')}`;
  }
  return undefined;
};
