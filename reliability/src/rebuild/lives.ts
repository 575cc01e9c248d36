/**
 * Kills programs of two versions through rebuild, exchange and return, while others append, and compares what is left with the closed form:
 * every number copied once, every effect there once, and the store that serves equal to a fold of all numbers.
 */
import { join } from 'node:path';
import { openLog, type Topic } from '@stoplog/core';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { loadTools } from '@stoplog/core/tools';
import { run } from '@stoplog/runtime';
import type { Fault } from '../checkers/fault.ts';
import { Child } from '../harness/child.ts';
import { copies, effects, groupOf, perGroup, weightOf } from './versions.pipeline.ts';

export interface Lives {
  readonly kills: number;
  /** Processes that append meanwhile. */
  readonly appenders: number;
  readonly folder: string;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly send?: (line: string) => void;
}
export interface LivesOutcome {
  readonly faults: readonly Fault[];
  readonly figures: {
    readonly kills: number;
    readonly exchanges: number;
    readonly killedInRebuild: number;
    readonly undrained: number;
    readonly records: number;
  };
}

const KEYS = 10;

export const liveAndDie = async ({ kills, appenders, folder: parent, random, send = () => {} }: Lives): Promise<LivesOutcome> => {
  const folder = join(parent, 'log');
  const below = (n: number): number => Math.floor(random() * n);
  const faults: Fault[] = [];
  const figures = { kills: 0, exchanges: 0, killedInRebuild: 0, undrained: 0, records: 0 };
  const start = (version: number): Child => new Child('rebuild/app.child.js', [folder], { env: { VERSION: `${version}` }, limitMs: 120_000 });
  await settle(start(1), faults);
  const writers = Array.from(
    { length: appenders },
    (_, i) => new Child('rebuild/appender.child.js', [folder, `${i * KEYS}`, `${KEYS}`], { limitMs: 3_600_000 }),
  );
  await Promise.all(writers.map((writer) => writer.said('appending')));
  let serving = 1;
  while (figures.kills < kills) {
    // Every third life may exchange, and every sixth can: the version that serves has left nothing between its tasks.
    const exchanges = figures.kills % 3 === 2;
    if (exchanges && figures.kills % 2 === 1) await settle(start(serving), faults);
    const wanted = exchanges || below(3) > 0 ? 3 - serving : serving;
    const app = start(wanted);
    await app.said('running');
    if (exchanges) await Promise.race([app.heard('rebuilt'), app.heard('failed')]);
    else await new Promise((resolve) => setTimeout(resolve, below(below(2) === 0 ? 60 : 900)));
    const { errors, signal } = await app.kill();
    if (signal !== 'SIGKILL' || errors !== '') faults.push({ kind: 'stuck', what: `life ${figures.kills}: ${signal} ${errors} ${app.lines.join(' | ')}` });
    figures.kills++;
    const failed = app.lines.find((line) => line.startsWith('failed') || line.startsWith('fatal'));
    const isUndrained = failed?.includes('sent there by the version that serves') === true;
    if (failed !== undefined && !isUndrained) faults.push({ kind: 'stuck', what: `life ${figures.kills}: ${failed}` });
    const now = await servingVersion(folder);
    if (now !== serving) figures.exchanges++;
    else if (wanted !== serving) figures.killedInRebuild++;
    serving = now;
    // What a killed program left between its tasks is finished by its own version.
    if (isUndrained || below(4) === 0) {
      if (isUndrained) figures.undrained++;
      await settle(start(serving), faults);
    }
    send(`${figures.kills} kills, ${figures.exchanges} exchanges`);
  }
  for (const writer of writers) writer.send('stop');
  const rounds = await Promise.all(writers.map(async (writer) => Number((await writer.said('appended ')).slice('appended '.length))));
  figures.records = rounds.reduce((sum, n) => sum + n * KEYS, 0);
  for (const version of [serving, 3 - serving, serving]) {
    await settle(start(version), faults);
    faults.push(...(await compare(folder, version, rounds)));
  }
  return { faults, figures };
};

/** Runs a program until nothing is left to do, and lets it end. */
const settle = async (app: Child, faults: Fault[]): Promise<void> => {
  await app.said('running');
  app.send('settle');
  const { code, errors } = await app.ended;
  if (code !== 0 || errors !== '' || !app.lines.includes('ended'))
    faults.push({ kind: 'stuck', what: `it did not settle: ${code} ${errors} ${app.lines.join(' | ')}` });
};

const servingVersion = async (folder: string): Promise<number> => {
  const log = await openPort(lmdb(folder));
  try {
    const groups = await (await loadTools(lmdb(folder))).groups(log);
    return groups.find(({ group }) => group === 'versions')?.stores.find(({ store }) => store === 'per-group')?.version ?? 1;
  } finally {
    await log[Symbol.asyncDispose]();
  }
};

const compare = async (folder: string, version: number, rounds: readonly number[]): Promise<readonly Fault[]> => {
  const expected = new Map<string, { count: number; sum: number }>();
  const each = new Set<string>();
  rounds.forEach((n, i) => {
    for (let key = i * KEYS; key < (i + 1) * KEYS; key++)
      for (let at = 0; at < n; at++) {
        each.add(`k${key}:${at}`);
        const group = groupOf({ key: `k${key}`, n: at });
        const sum = expected.get(group) ?? { count: 0, sum: 0 };
        expected.set(group, { count: sum.count + 1, sum: sum.sum + weightOf(at, version) });
      }
  });
  const faults = [...(await onceEach(folder, copies, ({ key, n }) => `${key}:${n}`, each)), ...(await onceEach(folder, effects, (text) => text, each))];
  process.env['VERSION'] = `${version}`;
  await using app = await run(new URL(`../../dist/rebuild/versions.pipeline.js?${version}`, import.meta.url), {
    log: lmdb(folder),
    threads: 1,
    logger: 'none',
  });
  await app.settled();
  const found = new Map<string, { count: number; sum: number }>();
  for await (const [group, sum] of app.store(perGroup).range()) found.set(group, sum);
  for (const [group, sum] of expected)
    if (JSON.stringify(found.get(group)) !== JSON.stringify(sum))
      faults.push({ kind: 'store', what: `version ${version}: ${group} is ${JSON.stringify(found.get(group))}, not ${JSON.stringify(sum)}` });
  return faults;
};
const onceEach = async <V>(folder: string, of: Topic<string, V>, nameOf: (value: V) => string, expected: ReadonlySet<string>): Promise<readonly Fault[]> => {
  const seen = new Map<string, number>();
  await using log = await openLog(lmdb(folder));
  for await (const records of log.read(of, { from: 'earliest', until: 'end' }))
    for (const { value } of records) {
      const name = nameOf(value as V);
      seen.set(name, (seen.get(name) ?? 0) + 1);
    }
  const lost = [...expected].filter((one) => !seen.has(one)).length;
  const twice = [...seen.values()].filter((n) => n > 1).length;
  return lost + twice === 0 && seen.size === expected.size
    ? []
    : [{ kind: lost > 0 ? 'lost' : 'output', what: `${of.name}: ${lost} of ${expected.size} lost, ${twice} more than once, ${seen.size} in all` }];
};
