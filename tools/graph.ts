/**
 * The sources as a graph of imports. From it follow the dead files (no entry reaches them) and the weight of a start. Imports
 * by address, such as a thread's entry, are edges too.
 */
import { posix } from 'node:path';
import { isForTests, isTest, type SourceFile, type Workspace } from './sources.ts';
import type { Import } from './imports.ts';

interface Edge {
  readonly to: string;
  readonly what: Import;
}
type Graph = ReadonlyMap<string, readonly Edge[]>;

export const graphOf = ({ files, packages }: Workspace): Graph => {
  const paths = new Set(files.map(({ path }) => path));
  const entries = new Map(packages.flatMap((one) => [...one.exports]));
  const resolve = (file: SourceFile, { specifier }: Import): string | undefined => {
    if (!specifier.startsWith('.')) return entries.get(specifier);
    const path = posix.join(posix.dirname(file.path), specifier);
    return [path, path.replace(/\.js$/, '.ts')].find((candidate) => paths.has(candidate));
  };
  return new Map(
    files.map((file) => [
      file.path,
      file.imports.flatMap((what) => {
        const to = resolve(file, what);
        return to === undefined || to === file.path ? [] : [{ to, what }];
      }),
    ]),
  );
};

/** Files that start by themselves: programs, benchmarks, tests, and the ones that package.json names. */
/** A log that no package exports yet, and the setup that vitest.config.ts names. */
const NAMED_ELSEWHERE = [
  'packages/connectors/src/kafka/log/log-module.ts',
  'packages/connectors/src/kafka/fixtures/setup.ts',
  'packages/connectors/src/sql/postgres/fixtures/setup.ts',
];
const isEntry = (path: string): boolean =>
  isTest(path) ||
  NAMED_ELSEWHERE.includes(path) ||
  /^(?:examples|benchmarks)\/src\/(?:.*\/)?(?:main|[\w-]+\.bench)\.ts$|^reliability\/src\/(?:.*\/)?(?:main|[\w-]+\.(?:child|pipeline))\.ts$|^tools\/(?:main|[\w-]+\.main)\.ts$/.test(
    path,
  );

export const deadProblems = (workspace: Workspace): readonly string[] => {
  const graph = graphOf(workspace);
  const named = workspace.packages.flatMap((one) => [...one.exports.values(), ...one.bins]);
  const reached = reach(graph, [...named, ...[...graph.keys()].filter((path) => isEntry(path) && !isTest(path))]);
  const byTests = reach(graph, [...graph.keys()].filter(isTest));
  return [...graph.keys()].flatMap((path) => {
    if (reached.has(path) || isTest(path)) return [];
    if (!byTests.has(path)) return [`${path}:1  is dead: nothing imports it; delete it, or export it from an entry in package.json`];
    return isForTests(path) || path.startsWith('tools/')
      ? []
      : [`${path}:1  is reached by tests alone: use it, delete it, or call it ${path.replace(/\.ts$/, '.fixture.ts').split('/').at(-1)!}`];
  });
};

const reach = (graph: Graph, from: readonly string[]): ReadonlySet<string> => {
  const reached = new Set<string>();
  const waiting = [...from];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const { to } of graph.get(path) ?? []) waiting.push(to);
  }
  return reached;
};

const LMDB = 'packages/core/src/lmdb';
/** The code between the start of a pipeline and its first result, in every thread of it (decision 0026). */
const STARTING = [
  `${LMDB}/log-module.ts`,
  `${LMDB}/thread-log.ts`,
  `${LMDB}/writer/writer.ts`,
  'packages/runtime/src/shell/run.ts',
  'packages/runtime/src/shell/actors/actor.ts',
];
const FOR_TOOLS: ReadonlySet<string> = new Set(
  ['admin/administration', 'copy/backup', 'doctor/check', 'doctor/repair', 'copy/restore', 'copy/shrink'].map((name) => `${LMDB}/${name}.ts`),
);

export const weightProblems = (workspace: Workspace): readonly string[] => {
  const graph = graphOf(workspace);
  const found = new Map<string, string>();
  const reached = new Set<string>();
  const walk = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { to, what } of graph.get(path) ?? []) {
      if (what.kind !== 'value') continue;
      if (FOR_TOOLS.has(to)) found.set(to, `${path}:${what.line}`);
      walk(to);
    }
  };
  for (const path of STARTING) walk(path);
  return [...found].map(([to, at]) => `${at}  makes every start of a pipeline load ${to}, which is rarely used: import() it at its first use`);
};
