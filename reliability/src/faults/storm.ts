/**
 * F19: members of one pipeline come and go all the time, by SIGTERM, by SIGKILL, and by standing still for longer than their
 * session, with handlers that are slower than a session. Records are appended meanwhile; each is processed once.
 */
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import type { Fault } from '../checkers/fault.ts';
import { readFinal } from '../flagship/final.ts';
import { produce } from '../flagship/producer.ts';
import { judgeWhole } from '../flagship/verdict.ts';
import { Child } from '../harness/child.ts';
import { moment, witness } from '../history/witness.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

const SESSION_MS = 1_000;
/** The time in which the last member must settle. */
const QUIET_MS = 60_000;
export type Change = 'SIGTERM' | 'SIGKILL' | 'SIGSTOP';

/** The number of assignments in the flagship's group: each increments the epoch. */
export const givings = async (data: string): Promise<number> => {
  await using log = await openPort(lmdb(data));
  const groups = await (await loadTools(lmdb(data))).groups(log);
  return groups.find(({ group }) => group === 'flagship')?.epoch ?? 0;
};

export interface Storm {
  readonly folder: string;
  /** The fate of the eldest member, time after time; a new member replaces it. */
  readonly changes: readonly Change[];
  readonly records: number;
  /** Awaited between two changes. */
  readonly rest?: () => Promise<void>;
}
export const storm = async ({ folder, changes, records, rest }: Storm): Promise<UnitOutcome> => {
  const [data, history] = [join(folder, 'log'), join(folder, 'history')];
  await readFinal(data);
  const write = witness(history);
  const env = { SPIN_US: '200', SLOW_MS: `${1.5 * SESSION_MS}` };
  const member = async (): Promise<Child> => {
    const child = new Child('flagship/member.child.js', [data, `${SESSION_MS}`], { limitMs: 300_000, env });
    await child.said('running');
    return child;
  };
  const faults: Fault[] = [];
  const bye = async (child: Child, signal: NodeJS.Signals): Promise<void> => {
    const ended = await child.kill(signal);
    const isRight = signal === 'SIGTERM' ? ended.code === 0 : ended.signal === signal;
    if (!isRight || ended.errors !== '')
      faults.push({ kind: 'stuck', what: `a member ended with ${ended.signal ?? ended.code} on ${signal}: ${ended.errors.slice(0, 500)}` });
  };
  const figures = { records: 0, came: 2, killed: 0, left: 0, 'stood still': 0, givings: 0 };
  let members: readonly [Child, Child] = [await member(), await member()];
  {
    await using log = await openPort(lmdb(data));
    for (const [i, change] of changes.entries()) {
      const sent = produce(log, { process: 'outside', upTo: Math.ceil((records * (i + 1)) / changes.length), chunk: 50, write });
      const [older, other] = members;
      if (change === 'SIGSTOP') {
        older.process.kill('SIGSTOP');
        figures['stood still']++;
        // Another member has its partitions when the new one is there and another session is over.
        const newer = await member();
        await rest?.();
        older.process.kill('SIGCONT');
        await bye(older, 'SIGTERM');
        members = [other, newer];
      } else {
        const [newer] = await Promise.all([member(), bye(older, change)]);
        figures[change === 'SIGKILL' ? 'killed' : 'left']++;
        members = [other, newer];
      }
      figures.came++;
      await sent;
      await rest?.();
    }
    write({ type: 'info', op: 'fault', process: 'outside', what: 'the last member came', at: moment() });
    members[0].send('settle');
    await members[0].said('settled');
    write({ type: 'info', op: 'settled', process: 'outside', what: 'settled', at: moment() });
  }
  figures.givings = await givings(data);
  await Promise.all(members.map((child) => bye(child, 'SIGTERM')));
  const verdict = await judgeWhole(data, history, records, QUIET_MS);
  figures.records = verdict.records;
  return { faults: [...faults, ...verdict.faults], figures };
};

/** A change of every kind, in random order; a change every one to three seconds. */
const CHANGES = 12;
export const rebalances = async ({ folder, random, send }: UnitSetting): Promise<UnitOutcome> => {
  const kinds: readonly Change[] = ['SIGTERM', 'SIGKILL', 'SIGSTOP'];
  const changes = Array.from({ length: CHANGES }, (_, i) => kinds[i < kinds.length ? i : Math.floor(random() * kinds.length)]!);
  // The moment of a change is the subject, not a fact to wait for.
  const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_000 + random() * 2_000));
  const outcome = await storm({ folder, changes, records: 2_000 * CHANGES, rest });
  send(JSON.stringify(outcome.figures));
  return outcome;
};
