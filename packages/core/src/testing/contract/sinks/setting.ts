/** The setting of every promise of a sink: an empty target, its owners, and batches of texts under keys. */
import type { SinkBatch, SinkRecord, SinkStart, SinkWriter } from '../../../port/sink.ts';
import { NO_HEADERS } from '../../../pure/record/header.ts';
import type { PromisesOf } from '../suite.ts';

/** The values that the suite writes, under keys that are strings. */
export interface SinkValue {
  readonly text: string;
}
export interface SinkUnderTest {
  /** Opens the sink for an owner, as an actor does. */
  readonly open: (start: SinkStart) => Promise<SinkWriter>;
  /** The values in the target, by key. */
  read(): Promise<ReadonlyMap<string, SinkValue>>;
  /** Lets writes fail after their records have reached the target and before their position is there; calling the result ends that. */
  crash(): Promise<() => Promise<void>>;
  /** Removes the target. */
  readonly dispose: () => Promise<void>;
}
export type OpenSink = () => Promise<SinkUnderTest>;

export interface SinkSubject {
  /** Opens the sink for a group's owner of a partition; the suite closes it. */
  readonly open: (start?: Partial<SinkStart>) => Promise<SinkWriter>;
  readonly read: SinkUnderTest['read'];
  readonly crash: SinkUnderTest['crash'];
}
export type SinkPromises = PromisesOf<SinkSubject>;

export const owner = (start: Partial<SinkStart>): SinkStart => ({ group: 'writers', topic: 'letters', partition: 0, epoch: 1, ...start });
export const never: AbortSignal = new AbortController().signal;

/** A record: its offset, its key, and its text, or null for a tombstone. */
type Line = readonly [offset: number, key: string, text: string | null, index?: number];
const recordOf = ([offset, key, text, index = 0]: Line): SinkRecord => ({
  key,
  value: text === null ? null : { text },
  timestamp: 1_000 + offset,
  headers: NO_HEADERS,
  offset: BigInt(offset),
  index,
});
export const batch = (position: number, ...lines: readonly Line[]): SinkBatch => ({ position: BigInt(position), records: lines.map(recordOf) });
export const write = (writer: SinkWriter, position: number, ...lines: readonly Line[]): Promise<void> => writer.write(batch(position, ...lines), never);

/** The texts in the target, by key, in the order of the keys. */
export const texts = async ({ read }: Pick<SinkSubject, 'read'>): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries([...(await read())].map(([key, { text }]) => [key, text] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)));
