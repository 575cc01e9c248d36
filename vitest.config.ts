/**
 * The configuration of every test of the workspace except the kills of `reliability/` and the tests beside a Kafka broker or a
 * PostgreSQL server, which have their own (vitest.reliability.config.ts, vitest.kafka.config.ts, vitest.postgres.config.ts). The counts of a run are left in `.cache/vitest`, one file per major version of Node, for
 * `.ci/run` to add up.
 *
 * Tests run in three groups, one group after the other:
 *
 *   pure      decide and wait for nothing: many files share a process, which halves their cost
 *   shell     start threads and processes, and mostly wait for them: a process for each file, more of them than there are cores
 *   long      as shell, and begun before it: the last file to end should be a short one
 *   measured  judge how long something takes, and have the machine to themselves
 */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const cores = availableParallelism();
const pure = [
  'packages/*/src/**/pure/**/*.test.ts',
  'packages/core/src/lmdb/layout/**/*.test.ts',
  'packages/core/src/lmdb/doctor/entries/*.test.ts',
  'packages/*/src/testing/**/*.test.ts',
  'packages/cli/src/text/**/*.test.ts',
];
const shell = ['packages/*/src/**/*.test.ts', 'examples/src/**/*.test.ts', 'benchmarks/src/**/*.test.ts', 'tools/**/*.test.ts'];
/** Tests that take half a minute and more. Vitest takes the projects of a group by their names. */
const long = [
  'examples/src/flights/flights.test.ts',
  'packages/cli/src/{cli,groups}.test.ts',
  'packages/runtime/src/shell/{deadly,few-files,kill,misbehaving,pipeline-module,takeover,terminate}.test.ts',
  'packages/runtime/src/shell/{replay/rebuild,sinks/sinks}.test.ts',
  'packages/core/src/lmdb/*/{backup,cleaning-kill,dead-readers,folder,shrink}.test.ts',
];
/** They need a server, and have configurations of their own: vitest.kafka.config.ts, vitest.postgres.config.ts. */
const servers = ['packages/connectors/src/kafka/**/*.test.ts', 'packages/connectors/src/sql/postgres/**/*.test.ts'];
const measured = ['packages/runtime/src/shell/pressure.test.ts'];
/** Kills of the example with all of its three million flights: with the other kills, in vitest.reliability.config.ts. */
const kills = ['examples/src/flights/kill.test.ts'];
/**
 * Left out of the second version of Node in a run, since the result cannot differ: tests that read our sources as text, and the
 * one of the benchmarks' files.
 */
const once = ['tools/{prose,tidy,rules,imports,markdown}.test.ts', 'benchmarks/**'];
const elsewhere = ['**/node_modules/**', '**/dist/**', '.cache/**', ...kills, ...(process.env['SECOND_NODE'] === undefined ? [] : once)];
/** Projects that mostly wait. */
const waiting = { maxWorkers: Math.ceil(1.5 * cores), sequence: { groupOrder: 2 } };

export default defineConfig({
  test: {
    pool: 'forks',
    // For tests that hang: the machine is shared, and a test's duration does not matter.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    reporters: ['default', ['json', { outputFile: `.cache/vitest/node-${process.versions.node.split('.')[0]}.json` }]],
    // Built packages run as they do for users: not bundled again for each file.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    projects: [
      {
        extends: true,
        test: { name: 'pure', include: pure, exclude: elsewhere, isolate: false, maxWorkers: cores, sequence: { groupOrder: 1 } },
      },
      { extends: true, test: { name: 'long', include: long, exclude: elsewhere, ...waiting } },
      { extends: true, test: { name: 'shell', include: shell, exclude: [...elsewhere, ...pure, ...long, ...measured, ...servers], ...waiting } },
      { extends: true, test: { name: 'measured', include: measured, exclude: elsewhere, maxWorkers: 1, sequence: { groupOrder: 3 } } },
    ],
  },
});
