/**
 * Identifies the file of a log, so that a copy is distinguished from its original, however it was made.
 *
 * Members are known by process numbers, and in a copy those numbers belong to processes that have the original open: none of them
 * will ever send a heartbeat in the copy. The log records the inode of its file; a process that opens a file with another inode
 * removes the members. As long as a process has a file open its inode stays, so no group loses living members.
 */
import { fileKey } from '../layout/meta.ts';
import { putMeta, readMeta } from '../tables/rows.ts';
import type { Env } from '../tables/env.ts';
import { clearGroups } from './groups.ts';

/** Called inside a write transaction, when the log is opened. */
export const applyFile = (env: Env, inode: bigint): void => {
  const known = readMeta<string>(env, fileKey());
  if (known === String(inode)) return;
  if (known !== undefined) clearGroups(env);
  putMeta(env, fileKey(), String(inode));
};
