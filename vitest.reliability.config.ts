/** The tests of `reliability/`: tier P, for every change. */
import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

const { test, ...rest } = base;
const { include: _others, reporters: _file, ...shared } = test ?? {};

export default mergeConfig(
  defineConfig({ ...rest, test: shared }),
  defineConfig({ test: { include: ['reliability/src/**/*.test.ts'], reporters: ['default', ['json', { outputFile: '.cache/vitest/reliability.json' }]] } }),
);
