/**
 * Which file a log lies in, so that a copy of it is told from its original, by whatever means it was made.
 *
 * Who is in a group is told by process numbers, and in a copy those are of processes that have the original open: none of them
 * will ever beat here. The log notes the inode of its file; whoever opens a file with another one takes them out. As long as
 * anybody has a file open its inode stays, so nobody's group is taken from under him.
 */
import { fileKey } from '../layout/meta.ts';
import { putMeta, readMeta } from '../tables/rows.ts';
import type { Env } from '../tables/env.ts';
import { clearGroups } from './groups.ts';

/** Inside a write transaction, when the log is opened. */
export const applyFile = (env: Env, inode: bigint): void => {
  const known = readMeta<string>(env, fileKey());
  if (known === String(inode)) return;
  if (known !== undefined) clearGroups(env);
  putMeta(env, fileKey(), String(inode));
};
