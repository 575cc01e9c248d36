/**
 * Threads and logs are started from files beside the module that starts them. A bundler that takes Stoplog's packages into its output
 * leaves these files behind; this refuses such a program, with the setting that keeps the packages outside.
 */
import { existsSync } from 'node:fs';
import { StoplogError } from '../pure/errors.ts';

/** The URL of a file beside the module `here`, which has no URL in a CommonJS bundle. */
export const besideModule = (file: string, here: string | undefined): URL => {
  const url = here === undefined ? undefined : new URL(file, here);
  if (url !== undefined && (url.protocol !== 'file:' || existsSync(url))) return url;
  const missing = url?.href ?? file;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { missing },
    `${missing} is not there, because a bundler took Stoplog's packages into its output without the modules of their threads: keep them outside with --packages=external (esbuild), dependencies (tsup) or externals: [/^@stoplog\\//] (webpack), and install them beside it`,
  );
};
