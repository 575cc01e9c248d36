/**
 * F18: compaction and retention racing with appends and readers, killed at each of their steps and in between. After every
 * death a fold of the table is the fold of the written records, survivors are at their offsets, and starts have only grown.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '@stoplog/core/port';
import { openPort } from '@stoplog/core/kit';
import type { Failpoint } from '@stoplog/core/private/failpoints';
import { lmdb } from '@stoplog/core/lmdb';
import type { Fault } from '../checkers/fault.ts';
import { Child } from '../harness/child.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';
import { readOn, recent, table, writtenAt } from './forgotten.ts';

const STEPS: readonly Failpoint[] = [
  'compact.select',
  'compact.copied',
  'compact.swapped',
  'compact.cleaned',
  'retain.advance',
  'retain.deleted',
  'storage.put',
];

export const cleaning = async ({ folder, random, send }: UnitSetting): Promise<UnitOutcome> => {
  const data = join(folder, 'log');
  const faults: Fault[] = [];
  const note = join(folder, 'struck');
  const figures = { kills: 0, cleanings: 0, records: 0, 'compacted away': 0, forgotten: 0, 'read meanwhile': 0 };
  const parked = new Child('faults/parked.child.js', [data], { limitMs: 300_000 });
  await parked.said('reading');
  let starts: readonly bigint[] = [0n, 0n];
  for (const step of [...STEPS, undefined, undefined]) {
    const hit = step === 'storage.put' ? 20 + Math.floor(random() * 400) : 1 + Math.floor(random() * 5);
    const writer = new Child('faults/cleaning.child.js', [data], {
      env: step === undefined ? {} : { STOPLOG_FAILPOINTS: `${step}=kill#${hit}`, STOPLOG_FAILPOINTS_STRUCK: note },
      limitMs: 30_000,
    });
    if (step === undefined) {
      await writer.said('cleaned');
      // The moment of the kill is the subject, not a fact to wait for.
      await new Promise((resolve) => setTimeout(resolve, random() * 200));
      await writer.kill();
    }
    const { signal, errors } = await writer.ended;
    const what = `killed at ${step ?? 'a random moment'}`;
    if (signal !== 'SIGKILL') faults.push({ kind: 'stuck', what: `${what}: it ended by itself: ${errors.slice(0, 500)}` });
    // Killed by its failpoint, and not by us because its time was over.
    else if (step !== undefined && !hasStruck(note, step))
      faults.push({ kind: 'stuck', what: `${what}: it never reached the failpoint${errors.slice(0, 500)}` });
    rmSync(note, { force: true });
    figures.kills++;
    figures.cleanings += writer.lines.filter((line) => line === 'cleaned').length;
    const heard = writer.lines.findLast((line) => line.startsWith('acknowledged '));
    const log = await openPort(lmdb(data));
    try {
      const [found, now, dropped] = await judge(log, starts, (heard ?? 'acknowledged 0 0').split(' ').slice(1).map(BigInt));
      faults.push(...found.map(({ kind, what: it }) => ({ kind, what: `${what}: ${it}` })));
      starts = now;
      [figures['compacted away'], figures.forgotten] = [dropped, Number(now[1])];
      const [end] = await log.offsets([{ topic: table.name, partition: 0 }], 'latest');
      figures.records = 2 * Number(end!.offset);
    } finally {
      await log[Symbol.asyncDispose]();
    }
    send(`${what}: ${faults.length} faults`);
    if (faults.length > 0) break;
  }
  parked.send('end');
  const { code, errors } = await parked.ended;
  if (code !== 0) faults.push({ kind: 'stuck', what: `the reader ended with ${code}: ${errors.slice(0, 500)}` });
  faults.push(...parked.lines.filter((line) => line.startsWith('wrong ')).map((what) => ({ kind: 'inconsistent offset', what }) as const));
  figures['read meanwhile'] = Number(parked.lines.findLast((line) => line.startsWith('read '))?.slice(5) ?? 0);
  return { faults, figures };
};

const judge = async (
  log: Log,
  starts: readonly bigint[],
  acknowledged: readonly bigint[],
): Promise<readonly [readonly Fault[], readonly bigint[], dropped: number]> => {
  const faults: Fault[] = [];
  let dropped = 0;
  const places = [table, recent].map(({ name: topic }) => ({ topic, partition: 0 }));
  await log.ensure([table, recent]);
  const [earliest, latest] = [await log.offsets(places, 'earliest'), await log.offsets(places, 'latest')];
  for (const [i, { topic }] of places.entries()) {
    const [start, end] = [earliest[i]!.offset, latest[i]!.offset];
    if (end < acknowledged[i]!) faults.push({ kind: 'lost', what: `${topic} ends at ${end}, and ${acknowledged[i]} was acknowledged` });
    if (start < starts[i]!) faults.push({ kind: 'phantom', what: `${topic} starts at ${start}, and started at ${starts[i]} before` });
    const kept: number[] = [];
    for (let at = start; at < end;) {
      const { next, seen, wrong } = await readOn(log, topic, at);
      faults.push(...wrong.map((what) => ({ kind: 'inconsistent offset', what }) as const));
      kept.push(...seen);
      at = next;
    }
    if (topic === recent.name) {
      if (kept.length !== Number(end - start)) faults.push({ kind: 'lost', what: `${topic} has ${kept.length} records from ${start} to ${end}` });
      continue;
    }
    dropped = Number(end) - kept.length;
    const [left, whole] = [foldOf(kept), foldOf(Array.from({ length: Number(end) }, (_, offset) => offset))];
    if (left !== whole) faults.push({ kind: 'store', what: `a fold of ${topic} is ${left}, not ${whole}` });
  }
  return [faults, earliest.map(({ offset }) => offset), dropped];
};
const hasStruck = (note: string, step: Failpoint): boolean =>
  existsSync(note) &&
  readFileSync(note, 'utf8')
    .split('\n')
    .some((line) => line.startsWith(`${step} `));
const foldOf = (offsets: readonly number[]): string => {
  const values = new Map<string, string>();
  for (const { key, value } of offsets.map(writtenAt)) {
    if (value === null) values.delete(key);
    else values.set(key, value);
  }
  return JSON.stringify([...values].toSorted(([a], [b]) => (a < b ? -1 : 1)));
};
