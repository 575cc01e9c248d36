/** The folder of Deno's program, from npm, in `.cache`; or the reason why there is none. Fetched once, as `.ci/run` fetches Node 24. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = '2.9.6';
const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'darwin-arm64': '@deno/darwin-arm64',
};

export const fetchDeno = (root: string): { readonly folder: string } | { readonly missing: string } => {
  const name = PLATFORMS[`${process.platform}-${process.arch}`];
  if (name === undefined) return { missing: `no Deno for ${process.platform}-${process.arch}` };
  const folder = join(root, `.cache/deno-${VERSION}`);
  if (existsSync(folder)) return { folder };
  // Renamed when it is whole.
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', part, `${name}@${VERSION}`], { encoding: 'utf8' });
  const tarball = readdirSync(part).find((file) => file.endsWith('.tgz'));
  if (packed.status !== 0 || tarball === undefined) return { missing: `${name}@${VERSION} cannot be fetched: ${packed.stderr.trim()}` };
  const unpacked = spawnSync('tar', ['-xzf', join(part, tarball), '-C', part, '--strip-components=1'], { encoding: 'utf8' });
  if (unpacked.status !== 0) return { missing: unpacked.stderr.trim() };
  rmSync(join(part, tarball));
  renameSync(part, folder);
  return { folder };
};
