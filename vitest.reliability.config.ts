/**
 * The tests of `reliability/`, and the kills of the flights example: tier P, for every change. They wait for processes most of the time, so more run at once than
 * there are cores. Repeated kills take longest, and begin first: vitest takes projects by their names.
 */
import { availableParallelism } from 'node:os';
import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

const { test, ...rest } = base;
const { projects: _others, reporters: _file, ...shared } = test ?? {};
const long = ['reliability/src/{failpoints,kills,processes,rebuilds}.test.ts', 'reliability/src/mutants/*.test.ts', 'examples/src/flights/kill.test.ts'];
const waiting = { maxWorkers: Math.ceil(1.5 * availableParallelism()) };

export default mergeConfig(
  defineConfig({ ...rest, test: shared }),
  defineConfig({
    test: {
      reporters: ['default', ['json', { outputFile: '.cache/vitest/reliability.json' }]],
      projects: [
        { extends: true, test: { name: 'kills', include: long, ...waiting } },
        { extends: true, test: { name: 'others', include: ['reliability/src/**/*.test.ts'], exclude: ['**/node_modules/**', ...long], ...waiting } },
      ],
    },
  }),
);
