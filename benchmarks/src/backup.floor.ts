/** LMDB's own compacting copy of a data file, flushed: it is not checked, before or after. */
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';

export const copyByLmdb = async (folder: string, to: string): Promise<void> => {
  const env = open({ path: folder, pageSize: 8192, noSubdir: false, readOnly: true, mapSize: 2 ** 40, maxDbs: 16 });
  mkdirSync(to, { recursive: true });
  await env.backup(`${to}/`, true);
  await env.close();
  const fd = openSync(join(to, 'data.mdb'), 'r');
  fsyncSync(fd);
  closeSync(fd);
};
