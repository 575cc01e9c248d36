/** Readers that die inside a read, and many that read while the map grows: writing continues, and they see every record. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../checkers/fault.ts';
import { readFinal } from '../flagship/final.ts';
import { judgeWhole } from '../flagship/verdict.ts';
import { Child } from '../harness/child.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

const READERS = 20;
/** Records appended before the readers die, and after. */
const BEFORE = 2_000;
const AFTER = 40_000;
/** How much larger the file may be than after the same work without dead readers. */
const TIMES = 3;

interface Work {
  readonly faults: readonly Fault[];
  readonly bytes: number;
}
/** A little work, then `die` while another process rests, then much work: pages held by dead readers would not be reused. */
const work = async (data: string, history: string, die: () => Promise<void>): Promise<Work> => {
  const live = (upTo: number, stay: 'stay' | 'end'): Child =>
    new Child('flagship/app.child.js', [data, history, `up to ${upTo}`, `${upTo}`, '200', stay], { env: { SPIN_US: '0' }, limitMs: 120_000 });
  await readFinal(data);
  const first = live(BEFORE, 'stay');
  await first.said('settled');
  await die();
  await first.kill();
  // The log removes dead readers when it is opened.
  const { code, signal, errors } = await live(BEFORE + AFTER, 'end').ended;
  const faults: readonly Fault[] = code === 0 ? [] : [{ kind: 'stuck', what: `the app ended with ${signal ?? code}: ${errors.slice(0, 300)}` }];
  return { faults, bytes: statSync(join(data, 'data.mdb')).blocks * 512 };
};
/** The file after the same work without deaths; measured once. */
let calm: Promise<Work> | undefined;

export const staleReaders = async ({ folder, send }: UnitSetting): Promise<UnitOutcome> => {
  const [data, history, note] = [join(folder, 'log'), join(folder, 'history'), join(folder, 'struck')];
  const baseline = (await (calm ??= work(join(folder, 'calm'), join(folder, 'history of calm'), () => Promise.resolve()))).bytes;
  const { faults, bytes } = await work(data, history, async () => {
    for (let i = 0; i < READERS; i++) {
      // Half of them die inside a read, holding a snapshot, the others while they wait for records.
      const isInside = i % 2 === 0;
      const env = isInside ? { STOPLOG_FAILPOINTS: `storage.read=kill#${2 + (i % 6)}`, STOPLOG_FAILPOINTS_STRUCK: note } : {};
      const reader = new Child('flagship/reader.child.js', [data, join(folder, `history of reader ${i}`), `reader${i}`, 'numbers', 'copies'], {
        limitMs: 20_000,
        env,
      });
      await reader.heard('reading');
      await (isInside ? reader.ended : reader.kill());
    }
  });
  const died = existsSync(note) ? readFileSync(note, 'utf8').split('\n').length - 1 : 0;
  send(`${READERS} readers killed, ${died} inside a read; ${(bytes / 1e6).toFixed(1)} MB, ${(baseline / 1e6).toFixed(1)} without them`);
  const missed: readonly Fault[] = died === READERS / 2 ? [] : [{ kind: 'stuck', what: `${died} readers died inside a read, and ${READERS / 2} were to` }];
  const large: readonly Fault[] =
    bytes <= TIMES * baseline ? [] : [{ kind: 'stuck', what: `the file has ${bytes} bytes, and ${baseline} after the same work where no reader died` }];
  const verdict = await judgeWhole(data, history, BEFORE + AFTER, 60_000);
  return {
    faults: [...faults, ...missed, ...large, ...verdict.faults],
    figures: {
      records: verdict.records,
      'readers killed': READERS,
      'died inside a read': died,
      'MB of file': Math.round(bytes / 1e6),
      'MB without': Math.round(baseline / 1e6),
    },
  };
};

const THREADS = 16;
const GROWN = 60_000;
/** The step by which the writer lengthens the file, ahead of need. */
const AHEAD = 64 * 2 ** 20;
/** F17: the file is lengthened, again and again. The map has its maximal size from the start, and does not move. */
export const growth = async ({ folder, send }: UnitSetting): Promise<UnitOutcome> => {
  const [data, history] = [join(folder, 'log'), join(folder, 'history')];
  await readFinal(data);
  const size = (): number => statSync(join(data, 'data.mdb')).size;
  const before = size();
  const reading = new Child('faults/reading-threads.child.js', [data, history, `${THREADS}`, `${GROWN}`], { limitMs: 300_000 });
  await reading.said('reading');
  const app = new Child('flagship/member.child.js', [data, '10000'], { limitMs: 300_000 });
  await app.said('running');
  await reading.said('produced');
  app.send('settle');
  await app.said('settled');
  const ends = [await app.kill('SIGTERM')];
  reading.send('drain');
  ends.push(await reading.ended);
  const lengthened = Math.floor((size() - before) / AHEAD);
  send(`${THREADS} threads read while the file was lengthened ${lengthened} times`);
  const faults = ends
    .filter(({ code, errors }) => code !== 0 || errors !== '')
    .map(({ code, signal, errors }) => ({ kind: 'stuck', what: `a process ended with ${signal ?? code}: ${errors.slice(0, 500)}` }) as const);
  const verdict = await judgeWhole(data, history, GROWN, undefined);
  const left: readonly Fault[] = verdict.polled === 2 * GROWN * THREADS ? [] : [{ kind: 'unseen tail', what: `${verdict.polled} records were read` }];
  return {
    faults: [...faults, ...left, ...verdict.faults],
    figures: { records: verdict.records, 'read meanwhile': verdict.polled, 'times lengthened': lengthened },
  };
};
