/** Measures the compile time of the types of a long pipeline. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure, Setting } from './harness/benchmark.ts';
import { writePipeline } from './types/generate.ts';

export const question = 'How long does tsc take for a pipeline of 200 verbs, compared with one of 2?';
export const sketch =
  'Each verb instantiates one interface with a small object type; most of the time is zod and the library files, which both have. Under twice as long.';
export const bound = 'none is set: it is watched, so that it does not creep';
export const unit = 's';
export const durability = 'not a matter of disks';
export const limitedBy = '';

const here = dirname(fileURLToPath(import.meta.url));
/** Inside the package, where the compiler finds the packages that a user would have installed. */
const folderOf = (verbs: number): string => join(here, '..', '.cache', `types-${verbs}`);
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const sizes = setting.quick ? [2, 20] : [2, 200];
  const measured = sizes.map((verbs) => ({ verbs, seconds: [] as number[] }));
  for (const { verbs } of measured) {
    writePipeline(join(folderOf(verbs), 'generated.ts'), verbs);
    writeFileSync(
      join(folderOf(verbs), 'tsconfig.json'),
      JSON.stringify({
        extends: '../../../tsconfig.base.json',
        compilerOptions: { composite: false, noEmit: true, noUnusedLocals: false, rootDir: '.' },
        files: ['generated.ts'],
      }),
    );
  }
  for (let i = 0; i < setting.pairs; i++) {
    for (const { verbs, seconds } of measured) {
      setting.report(`round ${i + 1} of ${setting.pairs}, ${verbs} verbs`);
      const started = performance.now();
      execFileSync(process.execPath, [compiler, '-p', folderOf(verbs)], { stdio: ['ignore', 'inherit', 'inherit'] });
      seconds.push((performance.now() - started) / 1_000);
    }
  }
  const short = measured[0]!.seconds;
  return [
    ...measured.map(({ verbs, seconds }): Figure => ({ name: `${verbs} verbs`, unit, durability, ours: seconds, bounds: [] })),
    { name: 'longest over shortest', unit: 'times', durability, ours: measured.at(-1)!.seconds.map((time, i) => time / short[i]!), bounds: [] },
  ];
};
