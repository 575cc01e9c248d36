/**
 * One configuration for every test of the workspace but the kills of `reliability/`, which take minutes and have their own
 * (vitest.reliability.config.ts). The counts of a run are left in `.cache/vitest`, one file per major version of Node, for
 * `.ci/run` to add up.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'examples/src/**/*.test.ts', 'benchmarks/src/**/*.test.ts', 'tools/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '.cache/**'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    reporters: ['default', ['json', { outputFile: `.cache/vitest/node-${process.versions.node.split('.')[0]}.json` }]],
  },
});
