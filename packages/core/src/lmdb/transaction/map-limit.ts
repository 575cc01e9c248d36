/**
 * Holds the limit of the data file, `lmdb(path, { mapSize })`. LMDB's binding maps a larger part of the file when the map is full, so the
 * limit would never be reached.
 *
 * The file is never made shorter, so its length says little: what counts is the part that is in use. As long as the whole file is within the
 * limit, the check is one look at LMDB's counts for each transaction. Commits that write nothing, and everything that deletes, go on above the limit.
 */
import { StoplogError } from '../../pure/errors.ts';
import type { DecodedCommit } from '../layout/commit-bytes.ts';
import type { Env } from '../tables/env.ts';
import { liveBytes } from '../tables/usage.ts';
import type { EndsInTransaction } from './ends.ts';

export const checkMapLimit = (env: Env, { appends, entries }: DecodedCommit, ends: EndsInTransaction): void => {
  const { mapSize, path } = env;
  if (ends.fileBytes <= mapSize) return;
  const bytes = appends.reduce((sum, { batch }) => sum + batch.length, 0) + valueBytes(entries);
  if (bytes === 0) return;
  const used = liveBytes(env);
  if (used + bytes <= mapSize) return;
  throw new StoplogError(
    'STOPLOG_LOG_FULL',
    { path, mapSize, used },
    `${path} has reached the size of its map: ${used} of ${mapSize} bytes are in use. Nothing of this commit was kept: open it with a larger one, lmdb(path, { mapSize }), or let retention or compaction delete more`,
  );
};
const valueBytes = (entries: DecodedCommit['entries']): number => entries.reduce((sum, entry, i) => (i % 2 === 1 ? sum + (entry?.length ?? 0) : sum), 0);
