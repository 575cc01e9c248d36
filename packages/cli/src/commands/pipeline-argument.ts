/** The path of a pipeline module (`x.pipeline.ts`) as the URL that every thread imports. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StoplogError } from '@stoplog/core';
import { oneLine } from '@stoplog/runtime/kit';

export const pipelineUrl = (path: string): URL => {
  const file = resolve(path);
  if (!existsSync(file))
    throw new StoplogError(
      'STOPLOG_PIPELINE_MODULE',
      { path: file },
      `there is no file ${oneLine(file)}: give the path of a module that exports a pipeline by default, .ts or .js`,
    );
  return pathToFileURL(file);
};
