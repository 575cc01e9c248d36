/**
 * Packs each package as it would be published and checks the tarball with two tools: publint (is package.json right?) and
 * attw (do the types match the code, when they are imported as ESM?). Then follows the documents that install packages, with the tarballs.
 *
 *     pnpm packages:check
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchDeno } from './deno.ts';
import { readDocuments } from './docs.ts';
import { Project, projectOf, type Tarball } from './installed.ts';
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

const tarballs: Tarball[] = [];
for (const { name, folder: source, exports } of readWorkspace(root).packages.filter(({ exports, bins }) => exports.size > 0 || bins.length > 0)) {
  const tarball = join(folder, `${name.replace('@', '').replace('/', '-')}.tgz`);
  tarballs.push({ name, path: tarball });
  const fine = [
    succeeds(`pack ${name}`, 'npx', '--yes', 'pnpm@12.4.2', '--dir', source, 'pack', '--out', tarball),
    succeeds(`publint ${name}`, join(root, 'node_modules/.bin/publint'), 'run', tarball, '--strict'),
    // A package without exports has no types to compare.
    exports.size === 0 || succeeds(`attw ${name}`, join(root, 'node_modules/.bin/attw'), tarball, '--profile', 'esm-only'),
  ];
  if (fine.includes(false)) process.exitCode = 1;
}

const deno = fetchDeno(root);
const programs = { tarballs, bins: 'folder' in deno ? [deno.folder] : [] };
const guides = readDocuments(root).filter((guide) => projectOf(guide) !== undefined);
for (const maker of guides.filter((guide) => projectOf(guide) === guide.path)) {
  using project = new Project(programs);
  // The document that makes the project comes first.
  for (const guide of [maker, ...guides.filter((guide) => guide !== maker && projectOf(guide) === maker.path)]) {
    if ('missing' in deno && guide.blocks.some(({ text }) => text.includes('$ deno '))) {
      console.log(`skipped  ${guide.path}: ${deno.missing}`);
      continue;
    }
    const from = performance.now();
    const { failure, trusted } = project.follow(guide);
    console.log(`${failure === undefined ? 'ok      ' : 'FAILED  '} follow ${guide.path} (${Math.round((performance.now() - from) / 1_000)} s)`);
    for (const line of trusted) console.log(`         taken on trust: ${line}`);
    if (failure === undefined) continue;
    console.log(failure);
    process.exitCode = 1;
  }
}
