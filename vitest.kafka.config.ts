/**
 * The tests of the Kafka log, beside one real broker that is started for all of them (fixtures/setup.ts). They need Java 17 and
 * Maven, which fetches the broker once; without these they are skipped, and the run prints why. So they are not part of
 * `npm test`: `.ci/run` runs them in a step of their own.
 */
import { availableParallelism } from 'node:os';
import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

const { test, ...rest } = base;
const { projects: _others, reporters: _file, ...shared } = test ?? {};

export default mergeConfig(
  defineConfig({ ...rest, test: shared }),
  defineConfig({
    test: {
      name: 'kafka',
      reporters: ['default', ['json', { outputFile: '.cache/vitest/kafka.json' }]],
      include: ['packages/connectors/src/kafka/**/*.test.ts'],
      exclude: ['**/node_modules/**', '**/dist/**', 'packages/*/src/**/pure/**'],
      globalSetup: 'packages/connectors/src/kafka/fixtures/setup.ts',
      maxWorkers: Math.ceil(1.5 * availableParallelism()),
    },
  }),
);
