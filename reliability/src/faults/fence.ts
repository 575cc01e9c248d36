/** Runs the commits that must be refused, and the ones that must be accepted. */
import { join } from 'node:path';
import type { Fault } from '../checkers/fault.ts';
import { checkLog } from '../checkers/log-checker.ts';
import { Child } from '../harness/child.ts';
import { readHistory } from '../history/witness.ts';

export interface Fenced {
  readonly faults: readonly Fault[];
  readonly refused: number;
  readonly accepted: number;
}
export const fence = async (folder: string, programs?: string): Promise<Fenced> => {
  const history = join(folder, 'history');
  const { code, errors } = await new Child('faults/fence.child.js', [join(folder, 'log'), history], {
    limitMs: 20_000,
    ...(programs === undefined ? {} : { programs }),
  }).ended;
  if (code !== 0) return { faults: [{ kind: 'stuck', what: errors.slice(0, 500) }], refused: 0, accepted: 0 };
  const events = readHistory(history).filter((event) => event.op === 'commit');
  const wrongly = events
    .filter((event) => event.type === 'fail' && !(event.stale && event.reason === 'STOPLOG_FENCED'))
    .map(({ stale, what, reason }) => ({ kind: 'stuck', what: `a commit ${what}${stale ? '' : ', of the owner,'} was refused with ${reason}` }) as const);
  return {
    faults: [...checkLog(events, new Map()).faults, ...wrongly],
    refused: events.filter(({ type }) => type === 'fail').length,
    accepted: events.filter(({ type }) => type === 'ok').length,
  };
};
