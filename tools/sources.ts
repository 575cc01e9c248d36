/**
 * The workspace as tidy sees it: every source file with its imports, every package with its exports.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, type Import } from './imports.ts';

export interface SourceFile {
  /** From the root of the repository, with forward slashes: `packages/core/src/index.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}
export interface Package {
  readonly name: string;
  /** `packages/core` */
  readonly folder: string;
  /** The names that may be imported, with their source files: `@stoplog/core/port` → `packages/core/src/port/index.ts`. */
  readonly exports: ReadonlyMap<string, string>;
  readonly bins: readonly string[];
}
export interface Workspace {
  readonly files: readonly SourceFile[];
  readonly packages: readonly Package[];
}

/** As a pattern, for rules about paths. */
export const TEST = '\\.(test|test-d)\\.ts$';
export const FOR_TESTS = `${TEST}|\\.fixture\\.ts$|/fixtures/`;
export const isTest = (path: string): boolean => /\.(test|test-d)\.ts$/.test(path);
/** A test, or a file for tests only: `x.fixture.ts`, or anything in a folder `fixtures/`. */
export const isForTests = (path: string): boolean => isTest(path) || /\.fixture\.ts$|\/fixtures\//.test(path);
export const sourceFile = (path: string, text: string): SourceFile => ({ path, text, imports: importsOf(text) });

export const readWorkspace = (root: string): Workspace => {
  const folders = [...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`), 'examples', 'benchmarks', 'reliability'];
  const files = [...folders.map((folder) => `${folder}/src`), 'tools'].flatMap((folder) => typescriptFilesIn(root, folder));
  return {
    files: files.map((path) => sourceFile(path, readFileSync(join(root, path), 'utf8'))),
    packages: folders.filter((folder) => existsSync(join(root, folder, 'package.json'))).map((folder) => readPackage(root, folder)),
  };
};

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, { readonly default: string }>>;
  readonly bin?: Readonly<Record<string, string>>;
}

const readPackage = (root: string, folder: string): Package => {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
  const source = (built: string): string => `${folder}/${built.replace('./dist/', 'src/').replace(/\.js$/, '.ts')}`;
  return {
    name: manifest.name,
    folder,
    exports: new Map(Object.entries(manifest.exports ?? {}).map(([name, target]) => [manifest.name + name.slice(1), source(target.default)])),
    bins: Object.values(manifest.bin ?? {}).map(source),
  };
};

const typescriptFilesIn = (root: string, folder: string): readonly string[] => {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'dist' || entry.name === 'node_modules' ? [] : typescriptFilesIn(root, path);
      return /\.m?ts$/.test(entry.name) ? [path] : [];
    })
    .sort();
};
