/**
 * Corrects the number of the last commit in the lock file, after a process that opened the folder has set it back (decision 0018).
 *
 * Only opening the file writes that number, and a process must not open one LMDB file twice, so a child process opens it.
 */
import { spawnSync } from 'node:child_process';

const OPEN_MS = 10_000;

export const setRight = ({ path, mapSize }: { readonly path: string; readonly mapSize: number }): void => {
  const module = new URL('./env.js', import.meta.url).href;
  const code = `import(${JSON.stringify(module)}).then(({ openEnv }) => { openEnv(${JSON.stringify({ path, mapSize })}, true); process.exit(0); });`;
  spawnSync(process.execPath, ['-e', code], { stdio: 'ignore', timeout: OPEN_MS, env: { ...process.env, NODE_OPTIONS: '', STOPLOG_FAILPOINTS: '' } });
};
