import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { withFolder } from '../fixtures/child.ts';

/** Opens a log under a limit, and prints the outcome. */
const opened = (folder: string, options: string): { readonly said: string; readonly signal: string | null } => {
  const program = `
    import { lmdb } from ${JSON.stringify(import.meta.resolve('@stoplog/core/lmdb'))};
    import { openPort } from ${JSON.stringify(import.meta.resolve('@stoplog/core/kit'))};
    try { const log = await openPort(lmdb(${JSON.stringify(folder)}, ${options})); await log[Symbol.asyncDispose](); console.log('opened'); } catch (error) { console.log(error.code, error.message); }`;
  const { stdout, signal } = spawnSync('bash', ['-c', 'ulimit -v 67108864; exec "$0" --input-type=module -e "$1"', process.execPath, program], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { said: stdout.trim(), signal };
};

test.runIf(process.platform === 'linux')(
  'a map that the address space has no room for is refused by name, although LMDB itself would crash',
  async () => {
    await withFolder(async (folder) => {
      const refused = opened(`${folder}/log`, '{}');
      expect(refused.signal).toBe(null);
      expect(refused.said).toMatch(/^STOPLOG_LOG_UNAVAILABLE .*68719476736.*mapSize/);
      expect(opened(`${folder}/log`, '{ mapSize: 2 ** 30 }')).toEqual({ said: 'opened', signal: null });
    });
  },
  30_000,
);
