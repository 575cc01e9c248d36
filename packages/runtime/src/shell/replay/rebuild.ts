/**
 * Rebuilds stores of a pipeline beside those that serve: runs what leads to them over a shadow of the log, from the beginning of its topics
 * to the positions of the group, and has the log exchange both when they are at the same records.
 *
 * Everything that is done is in the log: a rebuild that was interrupted continues where it was, and several processes of the group share
 * its partitions as they share those of the pipeline.
 */
import { StoplogError } from '@stoplog/core';
import { loadLogModule, shadowRef } from '@stoplog/core/kit';
import type { Log, LogRef } from '@stoplog/core/port';
import type { Adopted, Tools } from '@stoplog/core/tools';
import type { AppEvent } from '../../pure/host/app-event.ts';
import { drainedTopics, ownTopics, sourceTopics, type Needed } from '../../pure/replay/needed.ts';
import { RebuildRate, type RebuildProgress } from '../../pure/replay/progress.ts';
import { newStoreParts, topicUse } from '../../pure/actor/store-part.ts';
import type { Plan } from '../../pure/topology/plan.ts';
import { Threads } from '../actors/threads.ts';
import { RunningApp } from '../app.ts';

export interface RebuildParts {
  readonly url: string;
  /** The whole pipeline, and the part of it that makes the stores. */
  readonly plan: Plan;
  readonly part: Plan;
  readonly needed: Needed;
  readonly ref: LogRef;
  /** The log that the pipeline runs on. */
  readonly log: Log;
  readonly tools: Pick<Tools, 'adoptRebuild' | 'groups'>;
  readonly threads: number;
  readonly heapMb: number;
  readonly hangAfterMs: number;
  readonly sessionMs: number | undefined;
  readonly program: string;
  /** What is replaced is kept for so long. */
  readonly keepMs: number;
  /** Left out, the rebuild is adopted as soon as it can be. */
  readonly adopts?: boolean;
  readonly report: (event: AppEvent) => void;
}

const LOOK_MS = 100;
const LOOK_NEAR_MS = 20;
const REPORT_MS = 2_000;
/** With fewer records left than these, the group stops for a moment, so that the rebuild reaches it. */
const NEAR = 50_000n;
const SEAL_MS = 3_000;
/** How long nobody may process what lies between the tasks of the serving version. */
const UNDRAINED_MS = 5_000;

/** Resolves when the stores serve, adopted by this process or another, or when `signal` is aborted; rejects with what the rebuild cannot get over. */
export const rebuild = async (parts: RebuildParts, signal: AbortSignal): Promise<void> => {
  const { needed, part, report } = parts;
  const started = performance.now();
  const shadow = await openShadow(parts);
  let failure: Error | undefined;
  const app = new RunningApp({
    ...shadow,
    plan: part,
    sessionMs: parts.sessionMs,
    program: parts.program,
    refusesOthers: false,
    report: (event) => {
      if (event.type === 'failed' || event.type === 'fatal') failure ??= event.error;
    },
    cleanings: async () => [],
    released: () => {},
  });
  try {
    // The group of the rebuild is there when its member has joined.
    let isStarted = false;
    app.started().then(
      () => (isStarted = true),
      () => {},
    );
    const rate = new RebuildRate();
    let reportedAt = -Infinity;
    let isNear = false;
    let undrainedAt: number | undefined;
    for (;;) {
      if (signal.aborted) return;
      const progress = await progressOf(part, shadow.log, rate);
      if (performance.now() - reportedAt > REPORT_MS) {
        if (reportedAt === -Infinity) report({ type: 'rebuilding', stores: needed.stores, records: progress.total - progress.done, continues: needed.isBegun });
        else report({ type: 'rebuild-progress', ...progress });
        reportedAt = performance.now();
      }
      const isCaughtUp = progress.done >= progress.total;
      if (isStarted && isCaughtUp && parts.adopts === false) return;
      if (isStarted && (isCaughtUp || isNear)) {
        const outcome = await adopt(parts, isNear ? SEAL_MS : 0);
        if (outcome === undefined || outcome.adopted) break;
        isNear = outcome.behind < NEAR;
        const isLeft = outcome.behind === 0n && outcome.between === 0n && outcome.undrained > 0n;
        undrainedAt = isLeft ? (undrainedAt ?? performance.now()) : undefined;
        if (undrainedAt !== undefined && performance.now() - undrainedAt > UNDRAINED_MS) throw undrained(parts, outcome.undrained);
      }
      if (failure !== undefined) {
        if (await isServing(parts)) break;
        throw failure;
      }
      await pause(isNear ? LOOK_NEAR_MS : LOOK_MS, signal);
    }
    report({ type: 'rebuilt', stores: needed.stores, ms: performance.now() - started });
  } finally {
    await app[Symbol.asyncDispose]();
  }
};

type Shadow = Pick<ConstructorParameters<typeof RunningApp>[0], 'log' | 'host' | 'ready'>;
const openShadow = async ({ url, part, plan, needed, ref, threads, heapMb, hangAfterMs }: RebuildParts): Promise<Shadow> => {
  const source = part.tasks.find((task) => task.source !== undefined)?.source;
  const names = needed.stores.map(({ store }) => store);
  if (source !== undefined)
    throw new StoplogError(
      'STOPLOG_REBUILD',
      { stores: names, source: source.name },
      `store '${names.join("', '")}' is filled from source '${source.name}', which cannot be read again: send the source to a topic, and fold that topic`,
    );
  const log = shadowRef({ over: ref, group: plan.name, tag: needed.tag, own: ownTopics(part) });
  const module = await loadLogModule(log);
  const shadow = await module.open(log.options);
  try {
    await shadow.ensure(
      part.topics.map(({ shape }) => shape),
      topicUse(part),
    );
    for (const task of part.tasks) for (const store of newStoreParts(part, task)) await shadow.store(store, new AbortController().signal);
  } catch (error) {
    await shadow[Symbol.asyncDispose]();
    throw error;
  }
  const pool = new Threads(part, threads, heapMb);
  const link = () => module.share(shadow);
  const ready = pool.warm({ url, fingerprint: part.fingerprint, rebuilds: names, log }, link);
  return { log: shadow, ready, host: { url, log, link, rebuilds: names, threads: pool, hangAfterMs, reset: 'fail' } };
};

const progressOf = async (part: Plan, shadow: Log, rate: RebuildRate): Promise<RebuildProgress> => {
  const sources = new Set(sourceTopics(part));
  const places = part.tasks.flatMap((task) =>
    task.inputs.flatMap(({ topic }) => Array.from({ length: topic.partitions }, (_, partition) => ({ topic: topic.name, partition }))),
  );
  const [at, first, end] = [await shadow.committed(part.name, places), await shadow.offsets(places, 'earliest'), await shadow.offsets(places, 'latest')];
  let [done, total, between] = [0n, 0n, 0n];
  places.forEach(({ topic }, i) => {
    if (sources.has(topic)) {
      done += at[i]!.offset - first[i]!.offset;
      total += end[i]!.offset - first[i]!.offset;
    } else between += end[i]!.offset - at[i]!.offset;
  });
  // Records between tasks are not done before they are in the stores.
  return rate.look(performance.now(), Number(done), Number(total) + (done >= total ? Number(between) : 0));
};

/** Undefined when the rebuild is no longer there: another process has adopted it. */
const adopt = async (parts: RebuildParts, sealMs: number): Promise<Adopted | undefined> => {
  const { log, plan, part, needed, tools, keepMs } = parts;
  try {
    return await tools.adoptRebuild(log, {
      group: plan.name,
      tag: needed.tag,
      sources: sourceTopics(part),
      drained: drainedTopics(plan, part),
      keptAs: needed.keptAs,
      keptUntil: Date.now() + keepMs,
      sealMs,
    });
  } catch (error) {
    if (await isServing(parts)) return undefined;
    throw error;
  }
};
/** The log has the declared versions. */
const isServing = async ({ tools, log, plan, needed }: RebuildParts): Promise<boolean> => {
  const group = (await tools.groups(log)).find(({ group: name }) => name === plan.name);
  return needed.stores.every(({ store, to }) => group?.stores.some((served) => served.store === store && served.version === to) === true);
};

const undrained = ({ plan, part, needed }: RebuildParts, records: bigint): StoplogError =>
  new StoplogError(
    'STOPLOG_REBUILD',
    { stores: needed.stores.map(({ store }) => store), records, topics: drainedTopics(plan, part) },
    `${records} records of ${drainedTopics(plan, part)
      .map((topic) => `'${topic}'`)
      .join(', ')} were sent there by the version that serves, and not processed by it: its outputs would lack them. ` +
      `Run the program of that version once more, until it has settled, and then this one`,
  );

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
