/** Reads the whole final state of a flagship: the checkers' view of the log, taken while no process runs. */
import type { Origin } from '@stoplog/core';
import type { Log } from '@stoplog/core/port';
import { type AnyStore, type AnyTopic, openPort, storeOf, topicOf } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import type { FinalTopic } from '../checkers/log-checker.ts';
import type { FinalRecord, FinalState, StoreContent } from '../checkers/model-checker.ts';
import { byGroup, copies, numbers, perGroup, perKey, totals } from './flagship.pipeline.ts';

const never = new AbortController().signal;

export const recordsOf = async (log: Log, topic: string, partition: number): Promise<readonly FinalRecord[]> => {
  const [end] = await log.offsets([{ topic, partition }], 'latest');
  const records: FinalRecord[] = [];
  for (let offset = 0n; offset < end!.offset;) {
    const found = await log.fetch({ topic, partition, offset }, { bytes: 1_000_000, waitMs: 0 }, never);
    for (const view of found.batches) {
      while (view.next())
        if (view.offset >= offset)
          records.push({
            offset: Number(view.offset),
            key: JSON.parse(Buffer.from(view.key()!).toString()) as string,
            text: Buffer.from(view.value()!).toString(),
          });
    }
    offset = found.next;
  }
  return records;
};
const partsOf = (log: Log, face: Origin<unknown, unknown>): Promise<readonly (readonly FinalRecord[])[]> => {
  const { name, partitions }: AnyTopic = topicOf(face);
  return Promise.all(Array.from({ length: partitions }, (_, partition) => recordsOf(log, name, partition)));
};
const storeContent = async (log: Log, declared: AnyStore, partition: number): Promise<StoreContent> => {
  const { name, version, fingerprint } = declared;
  const state = await log.store({ store: name, partition, group: 'flagship', version, fingerprint }, never);
  return state.range({}, 1_000_000).map(([key, value]) => [Buffer.from(key).toString('hex'), Buffer.from(value).toString('hex')]);
};

export interface Final {
  readonly state: FinalState;
  readonly topics: ReadonlyMap<string, FinalTopic>;
}
export const readFinal = async (folder: string): Promise<Final> => {
  const log = await openPort(lmdb(folder));
  try {
    await log.ensure([numbers, copies, byGroup, totals].map((face) => topicOf(face as Origin<unknown, unknown>).shape));
    const [ours, theirs, grouped, summed] = (await Promise.all(
      [numbers, copies, byGroup, totals].map((face) => partsOf(log, face as Origin<unknown, unknown>)),
    )) as [FinalRecord[][], FinalRecord[][], FinalRecord[][], FinalRecord[][]];
    const positions = async (topic: string, count: number): Promise<readonly number[]> =>
      (
        await log.committed(
          'flagship',
          Array.from({ length: count }, (_, partition) => ({ topic, partition })),
        )
      ).map(({ offset }) => Number(offset));
    const withPositions = async (topic: string, parts: readonly (readonly FinalRecord[])[]): Promise<FinalState['numbers']> => {
      const stand = await positions(topic, parts.length);
      return parts.map((records, i) => ({ records, position: stand[i]! }));
    };
    const state: FinalState = {
      numbers: await withPositions('numbers', ours),
      copies: theirs,
      byGroup: await withPositions('by-group', grouped),
      totals: summed,
      perKey: await Promise.all(ours.map((_, partition) => storeContent(log, storeOf(perKey), partition))),
      perGroup: await Promise.all(grouped.map((_, partition) => storeContent(log, storeOf(perGroup), partition))),
    };
    const named = (parts: readonly (readonly FinalRecord[])[]): FinalTopic =>
      parts.map((records) => records.map(({ offset, text }) => [offset, text] as const));
    return {
      state,
      topics: new Map([
        ['numbers', named(ours)],
        ['copies', named(theirs)],
      ]),
    };
  } finally {
    await log[Symbol.asyncDispose]();
  }
};
