/**
 * The tests of the PostgreSQL sink, beside one real server that is started for all of them (fixtures/setup.ts). They need PostgreSQL's server
 * (Debian: `apt-get install postgresql`); without it they are skipped, and the run prints why. So they are not part of `npm test`: `.ci/run` runs
 * them in a step of their own.
 */
import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

const { test, ...rest } = base;
const { projects: _others, reporters: _file, ...shared } = test ?? {};

export default mergeConfig(
  defineConfig({ ...rest, test: shared }),
  defineConfig({
    test: {
      name: 'postgres',
      reporters: ['default', ['json', { outputFile: '.cache/vitest/postgres.json' }]],
      include: ['packages/connectors/src/sql/postgres/**/*.test.ts'],
      exclude: ['**/node_modules/**', '**/dist/**'],
      globalSetup: 'packages/connectors/src/sql/postgres/fixtures/setup.ts',
    },
  }),
);
