/**
 * Sends the records of the closed form, from the end of the log on: record i is the next value of key i mod KEYS.
 *
 * Each commit is an event of the history before it is sent and another when it is acknowledged. A few are in flight at a
 * time, so that a kill finds some of every kind.
 */
import type { Log } from '@stoplog/core/port';
import { type AnyTopic, encodeKey, encodeValue, RecordPacker, topicOf } from '@stoplog/core/kit';
import type { Event } from '../history/history.ts';
import { numbers, PARTITIONS } from './flagship.pipeline.ts';
import { textsIn } from './texts.ts';

const KEYS = Number(process.env['KEYS'] ?? 500);
const UNDER_WAY = 3;

export interface Production {
  readonly process: string;
  readonly upTo: number;
  /** Records of one commit. */
  readonly chunk: number;
  /** Commits in flight at a time. */
  readonly most?: number;
  readonly write: (event: Event) => void;
}

/** Calls have numbers that no other producer of this process uses. */
let calls = 0;

/** The number of records in the log, which holds a prefix of all sent ones. */
export const isAt = async (log: Log): Promise<number> => {
  const ends = await log.offsets(
    Array.from({ length: PARTITIONS }, (_, partition) => ({ topic: 'numbers', partition })),
    'latest',
  );
  return ends.reduce((sum, { offset }) => sum + Number(offset), 0);
};

export const produce = async (log: Log, { process, upTo, chunk, write, most = UNDER_WAY }: Production): Promise<void> => {
  const topic: AnyTopic = topicOf(numbers);
  const underWay = new Set<Promise<void>>();
  let failure: Error | undefined;
  for (let i = await isAt(log); i < upTo && failure === undefined; i += chunk) {
    const packer = new RecordPacker(topic.name, PARTITIONS);
    const texts = new Map<number, string[]>();
    for (let at = i; at < Math.min(i + chunk, upTo); at++) {
      const value = { key: `k${at % KEYS}`, n: Math.floor(at / KEYS) };
      const key = encodeKey(topic, value.key);
      packer.add(key, encodeValue(topic, value), Date.now());
    }
    const appends = packer.take();
    for (const { partition, batch } of appends) texts.set(partition, [...(texts.get(partition) ?? []), ...textsIn(batch)]);
    const number = ++calls;
    write({ type: 'invoke', op: 'send', process, call: number, topic: topic.name, values: Object.fromEntries(texts) });
    const sent = log.commit({ group: '', epoch: 0, appends, stores: [], positions: [] }).then(
      ({ offsets }) => {
        const first: Record<string, number> = {};
        appends.forEach(({ partition }, at) => (first[partition] ??= Number(offsets[at])));
        write({ type: 'ok', op: 'send', process, call: number, offsets: first });
      },
      (error: Error) => {
        failure ??= error;
        write({ type: 'fail', op: 'send', process, call: number, reason: error.message });
      },
    );
    underWay.add(sent);
    void sent.finally(() => underWay.delete(sent));
    while (underWay.size >= most) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  // After a failed record none is sent: the log holds a prefix of the sent records, and the next producer continues after it.
  if (failure !== undefined) throw failure;
};
