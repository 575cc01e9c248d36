/**
 * Power cuts: the system calls of a run on its data file are recorded, and replayed as a disk would hold them if the power
 * had failed at some moment. Writes flushed before that moment are there. Any part of the others is: each write whole, not at
 * all, or the last one torn at a multiple of 512 bytes. Every image must open, hold every record acknowledged before that
 * moment, and match the model.
 */
import { cpSync, ftruncateSync, mkdirSync, openSync, closeSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import type { Fault } from '../checkers/fault.ts';
import { readFinal } from '../flagship/final.ts';
import { Child } from '../harness/child.ts';
import { parseHistory, type Event } from '../history/history.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

const IMAGES = 20;
const RECORDS = 1_200;
const SECTOR = 512;
/**
 * The offsets of LMDB's three meta records in pages of 8 KB (two alternating, and the flushed one), and of the boot number in
 * them.
 */
const METAS = [40, 8_192 + 40, 4_096 + 40] as const;
const BOOT_ID = 120;
const OTHER_BOOT: Buffer = Buffer.from('0100000000000000', 'hex');

/** A system call on the data file, or an acknowledgement. */
export type Act =
  | { readonly type: 'write'; readonly at: number; readonly bytes: Buffer; /** Flushed when it has ended, because of O_DSYNC. */ readonly isFlushed: boolean }
  | { readonly type: 'size'; readonly size: number }
  | { readonly type: 'flush' }
  | { readonly type: 'events'; readonly events: readonly Event[] };

const unhex = (text: string): Buffer => Buffer.from(text.replaceAll('\\x', ''), 'hex');

/**
 * Parses a trace of `strace -f -y -xx`. A call that another thread interrupts counts from its end, an acknowledgement from
 * its start.
 */
export const parseTrace = (trace: string): readonly Act[] => {
  const acts: Act[] = [];
  const flushed = new Set<string>();
  const waiting = new Map<string, string>();
  /** The offset of each descriptor: LMDB writes neighbouring pages by a seek and one writev. */
  const places = new Map<string, number>();
  for (const line of trace.split('\n')) {
    const found = /^(?:\[pid +)?(\d+)\]? +(.*)$/.exec(line);
    if (found === null) continue;
    const [, thread, text] = found as unknown as [string, string, string];
    const isAcknowledgement = /^write\(\d+<(?:\\x[0-9a-f]{2})*\\x68\\x69\\x73\\x74\\x6f\\x72\\x79>/.test(text);
    if (isAcknowledgement) {
      const bytes = /, "((?:\\x[0-9a-f]{2})*)"/.exec(text);
      if (bytes !== null) acts.push({ type: 'events', events: parseHistory(unhex(bytes[1]!).toString()) });
      continue;
    }
    const unfinished = text.indexOf(' <unfinished');
    if (unfinished >= 0) {
      waiting.set(thread, text.slice(0, unfinished));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    const whole = resumed === null ? text : (waiting.get(thread) ?? '') + resumed[1]!;
    const opened = /^openat\(.*, ([A-Z_|]+)(?:, \d+)?\)\s+= (\d+)</.exec(whole);
    if (opened !== null) flushed[opened[1]!.includes('SYNC') ? 'add' : 'delete'](opened[2]!);
    const call = /^(pwrite64|lseek|writev|ftruncate|fdatasync|fsync)\((\d+)<((?:\\x[0-9a-f]{2})*)>(.*)$/.exec(whole);
    if (call === null || !unhex(call[3]!).toString().endsWith('data.mdb')) continue;
    const [, name, fd, , rest] = call as unknown as [string, string, string, string, string];
    if (name === 'lseek') places.set(fd, Number(/= (\d+)$/.exec(rest)![1]));
    else if (name === 'writev') {
      const at = places.get(fd);
      if (at === undefined) throw new Error('a writev without a lseek before it');
      const pieces = [...rest.matchAll(/iov_base="((?:\\x[0-9a-f]{2})*)"/g)].map(([, bytes]) => unhex(bytes!));
      acts.push({ type: 'write', at, bytes: Buffer.concat(pieces), isFlushed: flushed.has(fd) });
    } else if (name === 'pwrite64') {
      const args = /^, "((?:\\x[0-9a-f]{2})*)", \d+, (\d+)\)? = (\d+)/.exec(rest.replace(/\s+=/, ' =').replace(/\) =/, ') ='));
      if (args === null) throw new Error(`a pwrite64 that is not understood: ${rest.slice(-80)}`);
      acts.push({ type: 'write', at: Number(args[2]), bytes: unhex(args[1]!), isFlushed: flushed.has(fd) });
    } else if (name === 'ftruncate') acts.push({ type: 'size', size: Number(/^, (\d+)/.exec(rest)![1]) });
    else acts.push({ type: 'flush' });
  }
  return acts;
};

/** A possible content of the disk when the power fails after that many acts, and the number of unflushed ones. */
export const imageAt = (acts: readonly Act[], random: () => number): { readonly image: readonly Act[]; readonly inDoubt: number } => {
  const kept: Act[] = [];
  let pending: Act[] = [];
  for (const act of acts) {
    if (act.type === 'flush') {
      kept.push(...pending);
      pending = [];
    } else if (act.type === 'write' && act.isFlushed) kept.push(act);
    else if (act.type !== 'events') pending.push(act);
  }
  const share = random();
  const some = pending.filter(() => random() < share);
  const last = some.at(-1);
  if (last?.type === 'write' && random() < 0.5) {
    const sectors = Math.floor(random() * (last.bytes.length / SECTOR));
    some[some.length - 1] = { ...last, bytes: last.bytes.subarray(0, sectors * SECTOR) };
  }
  return { image: [...kept, ...some], inDoubt: pending.length };
};

const writeImage = (path: string, acts: readonly Act[]): void => {
  const fd = openSync(path, 'w+');
  for (const act of acts) {
    if (act.type === 'write') writeSync(fd, act.bytes, 0, act.bytes.length, act.at);
    else if (act.type === 'size') ftruncateSync(fd, act.size);
  }
  // A file of this boot was left by a kill, with all writes to it; one of another boot was left by a power cut.
  const boot = Buffer.alloc(8);
  for (const meta of METAS) {
    if (readSync(fd, boot, 0, 8, meta + BOOT_ID) === 8 && boot.readBigUInt64LE() !== 0n) writeSync(fd, OTHER_BOOT, 0, 8, meta + BOOT_ID);
  }
  closeSync(fd);
};

/** Whether system calls can be recorded here. */
export const canRecord = (): boolean => spawnSync('strace', ['-V']).status === 0;

export const power = (setting: UnitSetting): Promise<UnitOutcome> => cutPower(setting, IMAGES);

/** The recorded program: in every other unit a pipeline with stores and positions, in the others a producer alone. */
const programOf = (unit: number, data: string, history: string): readonly [string, readonly string[]] =>
  unit % 2 === 0 ? ['flagship/app.child.js', [data, history, 'app', `${RECORDS}`, '20', 'end']] : ['faults/power.child.js', [data, history, `${RECORDS}`]];

/**
 * How commits were flushed: by their own meta record before they are visible, when other processes are there; or by the third
 * one after (decision 0028).
 */
const flushes = (acts: readonly Act[]): { readonly early: number; readonly late: number } => {
  const metas = acts.flatMap((act) => (act.type === 'write' && act.isFlushed ? [METAS.indexOf(act.at as never)] : []));
  return { early: metas.filter((n) => n === 0 || n === 1).length, late: metas.filter((n) => n === 2).length };
};

/** `programs` are recorded, possibly of a copy with a bug; the images are read by the unbroken product. */
export const cutPower = async ({ unit, folder, random, send }: UnitSetting, images: number, programs?: string): Promise<UnitOutcome> => {
  const figures = { images: 0, 'writes in doubt': 0, acknowledged: 0, taken: 0, 'flushed early': 0, 'flushed late': 0 };
  if (!canRecord()) {
    send('strace is not there: no crash images were made');
    return { faults: [], figures };
  }
  const [data, history, trace] = [join(folder, 'log'), join(folder, 'history'), join(folder, 'trace')];
  // The folder is created and flushed before the recording, which starts from this file.
  await readFinal(data);
  // Two units in four are recorded while another process has the log open, and commits nothing.
  const neighbour = unit % 4 >= 2 ? await openPort(lmdb(data)) : undefined;
  const before = readFileSync(join(data, 'data.mdb'));
  const under = ['strace', '-f', '-y', '-xx', '-s', '10000000', '-e', 'trace=openat,lseek,pwrite64,writev,write,fdatasync,fsync,ftruncate', '-o', trace];
  const [program, args] = programOf(unit, data, history);
  const { code, errors } = await new Child(program, args, {
    under,
    limitMs: 60_000,
    env: { SPIN_US: '0' },
    ...(programs === undefined ? {} : { programs }),
  }).ended;
  await neighbour?.[Symbol.asyncDispose]();
  if (code !== 0) return { faults: [{ kind: 'stuck', what: `the recording ended with ${code}: ${errors.slice(0, 300)}` }], figures };
  const acts = parseTrace(readFileSync(trace, 'latin1'));
  const { early, late } = flushes(acts);
  figures['flushed early'] = early;
  figures['flushed late'] = late;
  const start: Act = { type: 'write', at: 0, bytes: before, isFlushed: true };
  const faults: Fault[] = [];
  for (let i = 0; i < images && faults.length === 0; i++) {
    // The first image is the whole recording: if it missed any record, the images would prove nothing.
    const cut = i === 0 ? acts.length : Math.floor(random() * acts.length);
    const upToHere = acts.slice(0, cut);
    const [copy, known] = [join(folder, `image${i}`), join(folder, `known${i}`)];
    mkdirSync(copy);
    cpSync(join(data, 'stoplog.json'), join(copy, 'stoplog.json'));
    const { image, inDoubt } = imageAt([start, ...upToHere], random);
    writeImage(join(copy, 'data.mdb'), image);
    writeFileSync(known, upToHere.flatMap((act) => (act.type === 'events' ? act.events.map((event) => `${JSON.stringify(event)}\n`) : [])).join(''));
    const looking = new Child('faults/image.child.js', [copy, known], { limitMs: 15_000 });
    const line = await looking.heard('found ');
    const ended = await looking.ended;
    const what = `image ${i}, cut after ${cut} of ${acts.length}`;
    if (line === undefined || ended.code !== 0)
      faults.push({ kind: 'lost', what: `${what}: did not open or could not be read (${ended.signal ?? ended.code}): ${ended.errors.slice(0, 400)}` });
    else {
      const found = JSON.parse(line.slice(6)) as { readonly faults: readonly Fault[]; readonly acknowledged: number; readonly taken: number };
      faults.push(...found.faults.map(({ kind, what: it }) => ({ kind, what: `${what}: ${it}` })));
      figures.acknowledged += found.acknowledged;
      figures.taken += found.taken;
    }
    figures.images++;
    figures['writes in doubt'] += inDoubt;
    rmSync(copy, { recursive: true });
  }
  send(JSON.stringify(figures));
  return { faults, figures };
};
