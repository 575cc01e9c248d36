/**
 * A rebuild on its own, in a process beside the ones that run the pipeline: for commands. The pipeline module is the program that is to
 * serve, and the others go on with theirs until the exchange.
 */
import type { LogRef } from '@stoplog/core/port';
import { StoplogError } from '@stoplog/core';
import { loadLogModule } from '@stoplog/core/kit';
import type { AppEvent } from '../../pure/host/app-event.ts';
import type { Needed } from '../../pure/replay/needed.ts';
import type { Plan } from '../../pure/topology/plan.ts';
import { loadPlan } from '../load-plan.ts';
import { versionOf } from '../program.ts';
import { differences, type Difference, type StoreComparison } from './differences.ts';
import { planRebuild, type RebuildOptions } from './prepare.ts';
import { rebuild, type RebuildParts } from './rebuild.ts';

export interface AloneOptions {
  readonly log: LogRef;
  readonly rebuild?: RebuildOptions;
  readonly heapMb?: number;
  readonly report: (event: AppEvent) => void;
}
export interface LoneRebuild extends AsyncDisposable {
  readonly plan: Plan;
  readonly needed: Needed;
  /** Records to replay in all, as of now. */
  readonly records: number;
  /** Replays until the stores are at the records of the serving ones; with `adopts` they take over. Resolves at the abort, too. */
  run(adopts: boolean, signal: AbortSignal): Promise<void>;
  /** The entries in which the rebuilt stores differ from the serving ones, store by store, in the order of their keys. */
  differences(): AsyncIterable<Difference>;
  /** Of each store, after `differences`. */
  comparisons(): readonly StoreComparison[];
}

const HEAP_MB = 2_048;
const HANG_AFTER_MS = 30_000;

/** Undefined when every store of the pipeline serves in the version that the program declares. */
export const openRebuild = async (url: URL, { log: ref, rebuild: options, heapMb = HEAP_MB, report }: AloneOptions): Promise<LoneRebuild | undefined> => {
  const plan = await loadPlan(url.href);
  const module = await loadLogModule(ref);
  const log = await module.open(ref.options);
  const close = async (): Promise<void> => log[Symbol.asyncDispose]();
  try {
    const tools = await module.tools?.();
    if (tools?.groups === undefined || tools.adoptRebuild === undefined)
      throw new StoplogError('STOPLOG_USAGE', { module: ref.module }, 'this log cannot rebuild stores: keep the topics in a log that can, such as lmdb(…)');
    const found = await planRebuild({ url: url.href, plan, log, tools, options });
    if (found === undefined) {
      await close();
      return undefined;
    }
    const parts: RebuildParts = {
      ...found,
      url: url.href,
      plan,
      ref,
      log,
      heapMb,
      hangAfterMs: HANG_AFTER_MS,
      sessionMs: undefined,
      program: `${plan.fingerprint} ${versionOf(url.href, undefined)}`,
      report,
    };
    const comparisons: StoreComparison[] = [];
    return {
      plan,
      needed: found.needed,
      records: found.records,
      run: (adopts, signal) => rebuild({ ...parts, adopts }, signal),
      differences: () => differences(parts, comparisons),
      comparisons: () => comparisons,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
