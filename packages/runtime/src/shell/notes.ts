/** Commits notes about units, in one commit that moves no position: the epochs of the positions fence it as they fence every commit of the units. */
import type { Log, StoreWrites } from '@stoplog/core/port';
import { notesPart } from '@stoplog/core/kit';
import type { Unit } from '../pure/host/units.ts';

export const commitNotes = async (log: Log, group: string, epoch: number, units: readonly Unit[], stores: readonly StoreWrites[]): Promise<void> => {
  for (const { partition } of units) await log.store(notesPart(group, partition), new AbortController().signal);
  const positions = await log.committed(
    group,
    units.flatMap(({ places }) => places),
  );
  const stay = positions.map(({ topic, partition, offset }) => ({ topic, partition, from: offset, to: offset }));
  const { durable } = await log.commit({ group, epoch, appends: [], stores, positions: stay });
  await durable;
};
