/**
 * Packs each package as it would be published and checks the tarball with two tools: publint (is package.json right?) and
 * attw (do the types match the code, when they are imported as ESM?).
 *
 *     pnpm packages:check
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readWorkspace } from './sources.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.cache/packages');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const succeeds = (title: string, command: string, ...args: readonly string[]): boolean => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  console.log(`${status === 0 ? 'ok      ' : 'FAILED  '} ${title}`);
  if (status !== 0) console.log(`${stdout}${stderr}`);
  return status === 0;
};

for (const { name, folder: source, exports } of readWorkspace(root).packages.filter(({ exports, bins }) => exports.size > 0 || bins.length > 0)) {
  const tarball = join(folder, `${name.replace('@', '').replace('/', '-')}.tgz`);
  const fine = [
    succeeds(`pack ${name}`, 'npx', '--yes', 'pnpm@12.4.2', '--dir', source, 'pack', '--out', tarball),
    succeeds(`publint ${name}`, join(root, 'node_modules/.bin/publint'), 'run', tarball, '--strict'),
    // A package without exports has no types to compare.
    exports.size === 0 || succeeds(`attw ${name}`, join(root, 'node_modules/.bin/attw'), tarball, '--profile', 'esm-only'),
  ];
  if (fine.includes(false)) process.exitCode = 1;
}
