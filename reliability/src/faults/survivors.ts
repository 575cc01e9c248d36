/**
 * L6: the newest record of each key survives compaction, and a tombstone does so for its retention, which is longer here than
 * any run. A fold alone (F18) would not notice a tombstone that was dropped too early: only a reader in the middle does.
 */
import { join } from 'node:path';
import type { TopicShape } from '@stoplog/core/port';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import type { Fault } from '../checkers/fault.ts';
import { Child } from '../harness/child.ts';
import { readOn, table, writtenAt } from './forgotten.ts';

export const kept: TopicShape = { ...table, name: 'kept', forgetting: { ...table.forgetting, deleteRetentionMs: 3_600_000 } };

export interface Survived {
  readonly faults: readonly Fault[];
  readonly records: number;
  readonly 'compacted away': number;
  readonly 'tombstones kept': number;
}
export const survivors = async (folder: string, programs?: string): Promise<Survived> => {
  const data = join(folder, 'log');
  const { code, errors } = await new Child('faults/survivors.child.js', [data], { limitMs: 30_000, ...(programs === undefined ? {} : { programs }) }).ended;
  if (code !== 0)
    return { faults: [{ kind: 'stuck', what: `it ended with ${code}: ${errors.slice(0, 500)}` }], records: 0, 'compacted away': 0, 'tombstones kept': 0 };
  const log = await openPort(lmdb(data));
  try {
    await log.ensure([kept]);
    const [latest] = await log.offsets([{ topic: kept.name, partition: 0 }], 'latest');
    const end = Number(latest!.offset);
    const faults: Fault[] = [];
    const left = new Set<number>();
    for (let at = 0n; at < end;) {
      const { next, seen, wrong } = await readOn(log, kept.name, at);
      faults.push(...wrong.map((what) => ({ kind: 'inconsistent offset', what }) as const));
      for (const offset of seen) left.add(offset);
      at = next;
    }
    const newest = new Map(Array.from({ length: end }, (_, offset) => [writtenAt(offset).key, offset] as const));
    for (const [key, offset] of newest)
      if (!left.has(offset))
        faults.push({ kind: 'lost', what: `the newest record of ${key}, at ${offset}, is gone (${writtenAt(offset).value ?? 'a tombstone'})` });
    const tombstones = [...newest.values()].filter((offset) => writtenAt(offset).value === null && left.has(offset)).length;
    return { faults, records: end, 'compacted away': end - left.size, 'tombstones kept': tombstones };
  } finally {
    await log[Symbol.asyncDispose]();
  }
};
