/** `lmdb('./data')`: a log in a folder, as plain data that any thread can open. */
import { resolve } from 'node:path';
import { besideModule } from '../client/bundled.ts';
import type { Capability, LogRef } from '../port/log-module.ts';
import { StoplogError } from '../pure/errors.ts';
import { checkSettings, type Known } from '../pure/settings.ts';

export interface LmdbOptions {
  /** The limit of the data file, in bytes of address space (nothing is reserved); 1 TiB by default. */
  readonly mapSize?: number;
  /** `false` refuses a folder that holds no log yet, instead of creating one. */
  readonly create?: boolean;
  /**
   * Takes the right to write from the folder's group when the log is opened, for platforms that add it to volumes (`fsGroup` of
   * Kubernetes). Without it such a folder is refused; a folder that everybody may write to is always refused.
   */
  readonly ownerOnly?: boolean;
  /**
   * Trusts the folder's group: its members may write to the folder and own it, and the files are made for all of them. For processes
   * of several users that share a volume. Each of them opens the folder with this option.
   */
  readonly groupMayWrite?: boolean;
  /**
   * Whether the pages of the data file are walked for damage before it is opened: `true` always, `false` never; by default
   * when the walk takes some twenty milliseconds at most, which is up to 4 MB of keys, store entries and small batches.
   */
  readonly verify?: boolean;
  /**
   * Retention and compaction in the background: how often the log looks (1,000 ms; `Infinity`: only on command), and how many
   * bytes a second they may read and remove (32 MiB).
   */
  readonly maintenance?: { readonly everyMs?: number; readonly bytesPerSecond?: number };
}

/**
 * A log kept in a folder by LMDB. The folder is created when the log is first opened; several processes may open it.
 *
 * @example
 * import { openLog } from '@stoplog/core';
 * import { lmdb } from '@stoplog/core/lmdb';
 * await using log = await openLog(lmdb('./data'));
 */
export const lmdb = (path: string, options: LmdbOptions = {}): LogRef<Capability> => {
  checkSettings(`lmdb('${path}')`, options, KNOWN);
  if (options.ownerOnly === true && options.groupMayWrite === true)
    throw new StoplogError(
      'STOPLOG_USAGE',
      { path },
      `lmdb('${path}') takes ownerOnly or groupMayWrite, not both: one takes a right from the group that the other gives`,
    );
  if (options.maintenance !== undefined) checkSettings(`the maintenance of lmdb('${path}')`, options.maintenance, OF_MAINTENANCE);
  // A module that a bundler turned into CommonJS has no URL.
  if ((import.meta.url as string | undefined) === undefined) besideModule('./log-module.js', undefined);
  return {
    module: new URL('./log-module.js', import.meta.url).href,
    options: { path: resolve(path), ...options },
    capabilities: { producers: true, condition: true },
  };
};
const KNOWN: Known<LmdbOptions> = { mapSize: true, create: true, ownerOnly: true, groupMayWrite: true, verify: true, maintenance: true };
const OF_MAINTENANCE: Known<NonNullable<LmdbOptions['maintenance']>> = { everyMs: true, bytesPerSecond: true };
