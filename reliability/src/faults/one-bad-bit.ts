/**
 * Case O04: ten thousand acknowledged records, and copies of their file with each kind of damage. The log itself reads each
 * copy, `check` and `repair` run on it, and the repaired log is read and appended to; each in a process of its own.
 *
 * Faults are a value that was never written, a record that is missing without an error, a log, a check or a repair that
 * crashed or hung, an offset assigned twice, a count that is not exact. The files are small, so the log verifies their pages
 * when it opens them.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import type { Fault } from '../checkers/fault.ts';
import { readFinal } from '../flagship/final.ts';
import { produce } from '../flagship/producer.ts';
import { Child } from '../harness/child.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

const RECORDS = 10_000;
const PAGE = 8_192;
const COPIES = 10;
/** The time a child may take for a copy, on a busy machine; the case says ten seconds. */
const LIMIT_MS = 10_000;

type Damage = (data: Buffer, random: () => number) => Buffer;
const changed = (data: Buffer, change: (copy: Buffer) => void): Buffer => {
  const copy = Buffer.from(data);
  change(copy);
  return copy;
};
const flip: Damage = (data, random) =>
  changed(data, (copy) => {
    const at = Math.floor(random() * data.length);
    copy[at] = copy[at]! ^ (1 << Math.floor(random() * 8));
  });
const cut: Damage = (data, random) => Buffer.from(data.subarray(0, Math.floor(random() * data.length)));
const zero: Damage = (data, random) =>
  changed(data, (copy) => {
    const at = 4_096 * Math.floor((random() * data.length) / 4_096);
    copy.fill(0, at, at + 4_096);
  });
const swap: Damage = (data, random) =>
  changed(data, (copy) => {
    const pages = data.length / PAGE;
    const a = Math.floor(random() * pages);
    const b = (a + 1 + Math.floor(random() * (pages - 1))) % pages;
    data.copy(copy, a * PAGE, b * PAGE, (b + 1) * PAGE);
    data.copy(copy, b * PAGE, a * PAGE, (a + 1) * PAGE);
  });
const empty: Damage = () => Buffer.alloc(0);
const foreign: Damage = (data, random) => Buffer.from(Array.from({ length: Math.min(data.length, 20 * PAGE) }, () => Math.floor(random() * 256)));

/** A unit each: 200 flips, 50 cuts, 50 zeroed, 50 swapped, one empty and one foreign file. */
export const BAD_BIT_UNITS: readonly (readonly [string, Damage, number])[] = [
  ...Array.from({ length: 20 }, () => ['bits flipped', flip, COPIES] as const),
  ...Array.from({ length: 5 }, () => ['ends cut off', cut, COPIES] as const),
  ...Array.from({ length: 5 }, () => ['4 KB zeroed', zero, COPIES] as const),
  ...Array.from({ length: 5 }, () => ['pages swapped', swap, COPIES] as const),
  ['emptied', empty, 1],
  ['foreign', foreign, 1],
];

interface Partition {
  readonly partition: number;
  readonly end: number;
  readonly reached?: number;
  readonly lost: readonly { readonly offset: number; readonly until: number }[];
}
interface Said {
  readonly code?: string;
  readonly findings?: number;
  readonly records?: Readonly<Record<string, string>>;
  readonly appended?: Readonly<Record<string, number>>;
  readonly lostOffsets?: number;
  readonly mayMissPartitions?: boolean;
  readonly partitions?: readonly Partition[];
}

export const oneBadBit = async ({ folder, unit, random, send }: UnitSetting): Promise<UnitOutcome> => {
  const [what, damage, copies] = BAD_BIT_UNITS[unit]!;
  const data = join(folder, 'log');
  await readFinal(data);
  const log = await openPort(lmdb(data));
  await produce(log, { process: 'producer', upTo: RECORDS, chunk: 100, write: () => {} });
  await log[Symbol.asyncDispose]();
  const written = new Map(
    (await readFinal(data)).topics
      .get('numbers')!
      .flatMap((records, partition) => records.map(([offset, text]): readonly [string, string] => [`${partition} ${offset}`, text])),
  );
  const file = readFileSync(join(data, 'data.mdb'));
  let used = file.length;
  while (used > 0 && file[used - 1] === 0) used--;
  const whole = file.subarray(0, Math.ceil(used / PAGE) * PAGE);

  const figures = {
    copies,
    [what]: copies,
    records: written.size * copies,
    found: 0,
    harmless: 0,
    'nothing to prove': 0,
    'records lost': 0,
    'ends not known': 0,
    'log refused': 0,
  };
  const faults: Fault[] = [];
  for (let i = 0; i < copies; i++) {
    const [copy, to, looked] = [join(folder, `copy${i}`), join(folder, `repaired${i}`), join(folder, `looked${i}`)];
    const bytes = damage(whole, random);
    for (const path of [copy, looked]) {
      mkdirSync(path);
      cpSync(join(data, 'stoplog.json'), join(path, 'stoplog.json'));
      writeFileSync(join(path, 'data.mdb'), bytes);
    }
    const fault = (kind: Fault['kind'], why: string): void => void faults.push({ kind, what: `${what}, unit ${unit}, copy ${i}: ${why}` });
    const ran = async (args: readonly string[]): Promise<Said | undefined> => {
      const child = new Child('faults/inspect.child.js', args, { limitMs: 6 * LIMIT_MS });
      const { signal } = await child.ended;
      if (signal !== null || child.lines.length === 0) return undefined;
      return JSON.parse(child.lines[0]!) as Said;
    };
    const [itself, repaired] = await Promise.all([ran(['read', looked]), ran(['repair', copy, to])]);
    const wrong = (said: Said | undefined): number => Object.entries(said?.records ?? {}).filter(([where, text]) => written.get(where) !== text).length;
    for (const [who, said] of [
      ['the log', itself],
      ['the repaired log', repaired],
    ] as const)
      if (wrong(said) > 0) fault('phantom', `${who} read ${wrong(said)} values that were never written`);
    if (itself === undefined) fault('stuck', 'the log died of a signal, or hung');
    else if (itself.code !== undefined) figures['log refused']++;
    else if (Object.keys(itself.records!).length < written.size)
      fault('lost', `the log hid ${written.size - Object.keys(itself.records!).length} records silently`);
    if (itself?.code !== undefined && !itself.code.startsWith('STOPLOG_')) fault('stuck', `the log said '${itself.code}', which has no name`);
    if (repaired === undefined) {
      fault('stuck', 'check or repair died of a signal, or hung');
      continue;
    }
    if (repaired.findings! > 0) figures.found++;
    else figures.harmless++;
    if (repaired.code !== undefined) {
      figures['nothing to prove']++;
      if (!repaired.code.startsWith('STOPLOG_') || repaired.findings === 0)
        fault('stuck', `repair said '${repaired.code}' after ${repaired.findings} findings`);
    } else faults.push(...judge(repaired, written).map((why) => ({ kind: 'lost' as const, what: `${what}, unit ${unit}, copy ${i}: ${why}` })));
    figures['records lost'] += repaired.lostOffsets ?? 0;
    if (repaired.partitions?.some(({ reached }) => reached !== undefined)) figures['ends not known']++;
    for (const path of [copy, to, looked]) rmSync(path, { recursive: true, force: true });
  }
  send(JSON.stringify(figures));
  return { faults, figures };
};

/** Compares the records and the report of a repair with the written records. */
const judge = (
  { findings, records = {}, appended = {}, lostOffsets, mayMissPartitions, partitions = [] }: Said,
  written: ReadonlyMap<string, string>,
): readonly string[] => {
  const lost = new Set(
    partitions.flatMap(({ partition, lost: spans }) =>
      spans.flatMap(({ offset, until }) => Array.from({ length: until - offset }, (_, n) => `${partition} ${offset + n}`)),
    ),
  );
  const reached = new Map(partitions.map((one) => [one.partition, one.reached ?? Infinity]));
  const missing = [...written.keys()].filter((where) => records[where] === undefined);
  const isSaid = (where: string): boolean =>
    lost.has(where) || Number(where.split(' ')[1]) >= (reached.get(Number(where.split(' ')[0])) ?? (mayMissPartitions ? 0 : Infinity));
  const unsaid = missing.filter((where) => !isSaid(where)).length;
  const invented = [...lost].filter((where) => records[where] !== undefined || !written.has(where)).length;
  const ends = new Map<string, number>();
  for (const where of written.keys()) {
    const [partition, offset] = where.split(' ') as [string, string];
    ends.set(partition, Math.max(ends.get(partition) ?? 0, Number(offset) + 1));
  }
  const again = Object.entries(appended).filter(([partition, offset]) => offset < ends.get(partition)!).length;
  return [
    ...(unsaid > 0 ? [`${unsaid} records are missing and were not counted as lost`] : []),
    ...(invented > 0 ? [`${invented} records were counted as lost and are not`] : []),
    ...(lostOffsets !== lost.size ? [`${lostOffsets} offsets lost, and ${lost.size} named`] : []),
    ...(missing.length > 0 && findings === 0 ? [`${missing.length} records are missing, and check found nothing`] : []),
    ...(again > 0 ? ['the append after the repair got an offset that was used'] : []),
  ];
};
