/**
 * Imports a module that may be TypeScript, on every Node from 20 on.
 *
 * Newer versions strip types by themselves. Older ones, and syntax that cannot be stripped (enums, parameter properties), need `tsx`,
 * if the project has it: an optional peer, which only this file knows.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { StoplogError } from '@stoplog/core';

const isTypeScript = (url: string): boolean => /\.[mc]?ts$/.test(new URL(url).pathname);

export const importModule = async (given: string): Promise<unknown> => {
  const url = sourceOf(given);
  if (!isTypeScript(url)) {
    if (lacksTsx()) await (await tsxFor(url))?.register();
    return import(url);
  }
  const strips = (process.features as { readonly typescript?: string | false }).typescript;
  if (strips) {
    try {
      return await import(url);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' && code !== 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING') throw error;
    }
  }
  await registerTsx(url);
  return import(url);
};

/** `x.ts` for `x.js` if only `x.ts` exists: TypeScript imports name the compiled file, also where no compiler runs. */
const sourceOf = (url: string): string => {
  if (!url.startsWith('file:') || !/\.[mc]?js$/.test(new URL(url).pathname) || existsSync(new URL(url))) return url;
  const source = url.replace(/js(?=$|[?#])/, 'ts');
  return existsSync(new URL(source)) ? source : url;
};

/** True in a thread of a program that runs under tsx, on Node 20: it starts threads without the program's loader, so imports that main resolves would fail. */
const lacksTsx = (): boolean =>
  !isMainThread &&
  process.versions.node.startsWith('20.') &&
  /(?:^|[\s\\/=])tsx(?:$|[\s\\/])/.test([...process.execArgv, process.env['NODE_OPTIONS']].join(' '));

let registered: Promise<void> | undefined;
const registerTsx = (url: string): Promise<void> => (registered ??= register(url));

const register = async (url: string): Promise<void> => {
  const api = await tsxFor(url);
  if (api !== undefined) return void api.register();
  throw new StoplogError(
    'STOPLOG_PIPELINE_MODULE',
    { url, node: process.versions.node },
    `${url} is TypeScript, which Node ${process.versions.node} does not run by itself: install tsx beside it (npm install tsx), or use Node 22.18 or newer, or compile the file and pass the .js`,
  );
};

/** Looks for tsx in the pipeline's project first, which chose its version. */
const tsxFor = async (url: string): Promise<{ register(): unknown } | undefined> => {
  const theirs = apiOfTsx(url);
  if (theirs !== undefined) return (await import(theirs)) as { register(): unknown };
  try {
    return await import('tsx/esm/api');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
};

/** Resolves `tsx/esm/api` as an import from there would. `require.resolve` finds the CommonJS build, whose `register` looks for its hooks in the wrong folder. */
const apiOfTsx = (from: string): string | undefined => {
  let manifest: string;
  try {
    manifest = createRequire(from).resolve('tsx/package.json');
  } catch {
    return undefined;
  }
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly exports?: Readonly<Record<string, { readonly import?: { readonly default?: string } } | undefined>>;
  };
  const file = exports?.['./esm/api']?.import?.default;
  return file === undefined ? undefined : new URL(file, pathToFileURL(manifest)).href;
};
