/** A copy of the compiled packages with one text replaced, and of this package, whose programs then run on the copy. */
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutants.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PACKAGES = { core: 'packages/core', runtime: 'packages/runtime', reliability: 'reliability' } as const;

/** Returns the folder of the copy's programs. */
export const copyWith = (folder: string, mutant: Pick<Mutant, 'file' | 'text' | 'instead'> | undefined): string => {
  const at = (name: string): string => join(folder, name);
  for (const [name, source] of Object.entries(PACKAGES)) {
    mkdirSync(join(at(name), 'node_modules', '@stoplog'), { recursive: true });
    cpSync(join(ROOT, source, 'package.json'), join(at(name), 'package.json'));
    cpSync(join(ROOT, source, 'dist'), join(at(name), 'dist'), { recursive: true, filter: (path) => !/\.(?:map|d\.ts)$/.test(path) });
    // The same libraries, but our own packages from this copy.
    for (const library of readdirSync(join(ROOT, source, 'node_modules')).filter((one) => !one.startsWith('@') && !one.startsWith('.'))) {
      symlinkSync(realpathSync(join(ROOT, source, 'node_modules', library)), join(at(name), 'node_modules', library));
    }
    for (const ours of ['core', 'runtime']) if (ours !== name) symlinkSync(at(ours), join(at(name), 'node_modules', '@stoplog', ours));
  }
  if (mutant !== undefined) replaceOnce(join(at('core'), 'dist', mutant.file), mutant);
  return `${join(at('reliability'), 'dist')}/`;
};

const replaceOnce = (path: string, { text, instead }: Pick<Mutant, 'text' | 'instead'>): void => {
  const parts = readFileSync(path, 'utf8').split(text);
  if (parts.length !== 2) throw new Error(`${path} holds '${text}' ${parts.length - 1} times, not once: rewrite the mutant`);
  writeFileSync(path, parts.join(instead));
};
