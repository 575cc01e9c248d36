/** F23: very many partitions, and very many consumers at once: no step takes longer the more of them there are. */
import { join } from 'node:path';
import type { Fault } from '../checkers/fault.ts';
import { Child } from '../harness/child.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

/** A quadratic step would make the last quarter seven times as slow as the first; the machine may be busy otherwise. */
const SLOWER = 4;

interface Report {
  readonly records: number;
  readonly consumers: number;
  readonly first: readonly number[];
  readonly consumedMs: number;
  readonly wrong: number;
}
export const many = async ({ folder, send }: UnitSetting): Promise<UnitOutcome> => {
  const child = new Child('faults/many.child.js', [join(folder, 'log')], { limitMs: 240_000 });
  const line = await child.heard('report ');
  const { code, signal, errors } = await child.ended;
  if (line === undefined || code !== 0) return { faults: [{ kind: 'stuck', what: `it ended with ${signal ?? code}: ${errors.slice(0, 500)}` }], figures: {} };
  send(line);
  const { records, consumers, first, consumedMs, wrong } = JSON.parse(line.slice(7)) as Report;
  const faults: Fault[] = [];
  if (wrong > 0) faults.push({ kind: 'inconsistent offset', what: `${wrong} records were not the expected ones` });
  if (first.at(-1)! > SLOWER * first[0]!) faults.push({ kind: 'stuck', what: `the quarters of the partitions took ${first.join(', ')} ms` });
  return {
    faults,
    figures: { records, consumers, 'first quarter, ms': first[0]!, 'last quarter, ms': first.at(-1)!, 'all consumed, ms': consumedMs },
  };
};
