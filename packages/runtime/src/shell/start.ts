/**
 * The entry to the shell of the runtime, which is loaded when `run` is called.
 *
 * A pipeline module imports this package for its declarations, in main and in every thread. These need no pool, rxjs or console:
 * a thread starts sooner without them, and the modules of the pool are not loaded inside its threads.
 */
import { StoplogError } from '@stoplog/core';
import { besideModule } from '@stoplog/core/kit';
import type { App } from './app.ts';
import { checkNotImporting } from './load-plan.ts';
import { orLackOfFiles } from './open-files.ts';
import type { RunOptions } from './run.ts';

/**
 * Runs the pipeline that the module at `url` exports by default, until it is disposed of or aborted.
 *
 * Resolves when its actors run. Rejects with `STOPLOG_PIPELINE_MODULE`, `STOPLOG_TOPOLOGY`, `STOPLOG_TOPIC_SHAPE` or
 * `STOPLOG_STORE_VERSION` when it cannot.
 *
 * @example
 * await using app = await run(new URL('./orders.pipeline.ts', import.meta.url), { log: lmdb('./data') });
 * await app.settled();
 */
export const run = async (url: URL, options: RunOptions): Promise<App> => {
  // Before the first await: the caller may be the module that is being imported.
  checkNotImporting(urlOf(url));
  besideModule('./actors/thread.js', import.meta.url);
  try {
    const { runApp } = await import('./run.ts');
    return await runApp(url, options);
  } catch (error) {
    throw orLackOfFiles(error);
  }
};

/** Refuses a path with the remedy; the error of `new URL` has none. */
const urlOf = (url: unknown): string => {
  const href = url instanceof URL ? url.href : String(url);
  if (url !== undefined && url !== null && URL.canParse(href)) return href;
  const given = typeof url === 'string' ? `'${url}'` : href;
  const path = typeof url === 'string' ? url : './orders.pipeline.js';
  throw new StoplogError(
    'STOPLOG_USAGE',
    { url: href },
    `run(…) needs the URL of a pipeline module, and ${given} is none: write run(new URL('${path}', import.meta.url), …)`,
  );
};
