/**
 * Imports a pipeline module and makes the plan of its pipeline, with the same steps in main and in every thread.
 *
 * A pipeline module only declares. A module that starts something is refused where that can be detected: `run` is called while the
 * module is being imported, or, in a fresh thread, the import adds a resource that keeps the thread alive.
 */
import { fileURLToPath } from 'node:url';
import { isStoplogError, StoplogError } from '@stoplog/core';
import { isPipeline } from '../pure/pipeline/pipeline.ts';
import { asUnread, lacksFiles } from '../pure/host/lacks-files.ts';
import { planOf, rebuildPlanOf, type Plan } from '../pure/topology/plan.ts';
import { lackOfFiles, mayLackFiles } from './open-files.ts';
import { importModule } from './typescript.ts';

export const CONVENTION = `A pipeline module only declares:   export default pipeline('orders', ...)`;
const ELSEWHERE = `Start it from another file:        run(new URL('./orders.pipeline.ts', import.meta.url), ...)`;

const importing = new Set<string>();

/** Throws when `run` is called by the module that it would import. */
export const checkNotImporting = (url: string): void => {
  if (importing.has(url) || isEntry(url) || inActor()) {
    throw new StoplogError('STOPLOG_PIPELINE_MODULE', { url }, `${shortName(url)} starts an app while it is being imported.\n${CONVENTION}\n${ELSEWHERE}`);
  }
};
const actorMark: unique symbol = Symbol.for('stoplog.actor') as never;
/** Marks this thread as one of actors, in which `run` may not be called. */
export const markActorThread = (): void => {
  (globalThis as { [actorMark]?: boolean })[actorMark] = true;
};
const inActor = (): boolean => (globalThis as { [actorMark]?: boolean })[actorMark] === true;
const isEntry = (url: string): boolean => {
  const entry = process.argv[1];
  return entry !== undefined && url.startsWith('file:') && fileURLToPath(url) === entry;
};

/** The plan of the whole pipeline, or of what leads to the stores that are rebuilt. */
export const loadPlan = async (url: string, rebuilds?: readonly string[]): Promise<Plan> => {
  importing.add(url);
  let module: { readonly default?: unknown };
  try {
    module = (await importModule(url)) as { readonly default?: unknown };
  } catch (error) {
    if (isStoplogError(error)) throw error;
    throw notImported(url, error);
  } finally {
    importing.delete(url);
  }
  const exported = defaultOf(module);
  if (!isPipeline(exported)) {
    const found = exported === undefined ? 'has no default export' : `exports a ${typeof exported} by default, not a pipeline`;
    throw new StoplogError('STOPLOG_PIPELINE_MODULE', { url }, `${shortName(url)} ${found}.\n${CONVENTION}`);
  }
  return rebuilds === undefined ? planOf(exported) : rebuildPlanOf(exported, rebuilds);
};
/** The default export. A CommonJS module is imported with its `module.exports` as the default; a compiler puts the default inside that. */
const defaultOf = ({ default: exported }: { readonly default?: unknown }): unknown => {
  if (isPipeline(exported) || typeof exported !== 'object' || exported === null) return exported;
  const inside = (exported as { readonly default?: unknown }).default;
  return isPipeline(inside) ? inside : exported;
};

/** Kinds of resources that keep a thread alive; a module that only declares adds none. */
const STARTED: ReadonlySet<string> = new Set(['Timeout', 'TCPServerWrap', 'TCPSocketWrap', 'UDPWrap', 'FSEventWrap', 'StatWatcher', 'ProcessWrap']);
const startedNow = (): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) if (STARTED.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
};

/** `loadPlan` for a thread without other work yet; refuses a module that starts something. */
export const loadPlanWatching = async (url: string, rebuilds?: readonly string[]): Promise<Plan> => {
  const before = startedNow();
  const plan = await loadPlan(url, rebuilds);
  // A started resource may appear only a turn later: a server that looks up its address, a promise that is not awaited.
  await new Promise((resolve) => setImmediate(resolve));
  for (const [kind, count] of startedNow()) {
    if (count <= (before.get(kind) ?? 0)) continue;
    throw startsSomething(url, NAMES[kind] ?? kind);
  }
  return plan;
};
export const startsSomething = (url: string, what: string, options?: ErrorOptions): StoplogError =>
  new StoplogError(
    'STOPLOG_PIPELINE_MODULE',
    { url, started: what },
    `${shortName(url)} starts something while it is being imported (${what}), and would do so in every thread.\n${CONVENTION}\nOpen resources in the program that calls run.`,
    options,
  );
const NAMES: Readonly<Record<string, string>> = {
  Timeout: 'a timer',
  TCPServerWrap: 'a server',
  TCPSocketWrap: 'a connection',
  UDPWrap: 'a UDP socket',
  FSEventWrap: 'a file watcher',
  StatWatcher: 'a file watcher',
  ProcessWrap: 'a process',
};

const REMEDIES: Readonly<Record<string, string>> = {
  ERR_MODULE_NOT_FOUND: 'Check the path, and that its packages are installed.',
  // The output of a compiler for import and export in a package without "type": "module".
  ERR_REQUIRE_CYCLE_MODULE: 'Say "type": "module" in its package.json, or name it .mts: pipelines are ES modules.',
};
const notImported = (url: string, error: unknown): StoplogError => {
  const reason = inActor() && mayLackFiles() ? asUnread(error) : error;
  if (lacksFiles(reason)) return lackOfFiles(reason);
  const message = error instanceof Error ? error.message : String(error);
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  return new StoplogError(
    'STOPLOG_PIPELINE_MODULE',
    { url },
    `${shortName(url)} cannot be imported: ${message}.\n${REMEDIES[code] ?? 'Correct it, then run again.'}`,
    { cause: error },
  );
};

const shortName = (url: string): string => (url.startsWith('file:') ? (fileURLToPath(url).split(/[\\/]/).at(-1) ?? url) : url);
