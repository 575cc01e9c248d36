/**
 * Formats records, store entries and whole commits as texts, for comparisons and messages.
 */
import { openBatch, stampBatch } from '@stoplog/core/kit';
import type { MemoryPart } from '@stoplog/core/testing';
import type { Writes } from '../pure/actor/overlay.ts';
import type { Sent } from './simulated-actor.ts';
import type { Expected } from './simulation-reference.ts';

/** A record as text, without partition and offset, which are compared separately. */
export interface RecordText {
  readonly keyed: boolean;
  readonly text: string;
}
export const textsIn = (bytes: Uint8Array): readonly RecordText[] => {
  const view = openBatch(bytes);
  const texts: RecordText[] = [];
  while (view.next()) {
    const [key, value] = [view.key(), view.value()];
    const headers = view
      .headers()
      .map(({ name, value: header }) => `${name}=${latin(header)}`)
      .join('&');
    texts.push({ keyed: key !== null, text: `${latin(key)}\t${latin(value)}\t${view.timestamp}\t${headers}` });
  }
  return texts;
};
/** Stamps a new batch at offset 0, as a log would. */
const stamped = (batch: Uint8Array): Uint8Array => {
  stampBatch(batch, { topicId: 1, partition: 0, baseOffset: 0n });
  return batch;
};
export const textOfPart = (part: MemoryPart): string =>
  part
    .range({}, Infinity)
    .map(([key, value]) => `${latin(key)}=${latin(value)}`)
    .join('\n');
export const latin = (bytes: Uint8Array | null): string =>
  bytes === null ? 'null' : `'${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')}'`;
/** The text of a record with its partition; a record without a key may be in any partition. */
export const textOf = (topic: string, partition: number, { keyed, text }: RecordText): string => `${topic}[${keyed ? partition : '?'}] ${text}`;

export const textOfExpected = ({ writes, appends }: Expected): string =>
  [
    ...writes.flatMap(({ store, writes: { keys, values } }) => keys.map((key, i) => `${store} ${latin(key)} ${latin(values[i] ?? null)}`)),
    ...appends.flatMap(({ topic, partition, batch }) => textsIn(stamped(batch)).map((text) => textOf(topic, partition, text))),
  ].join('\n');

export const differenceOf = (expected: Expected, { commit }: Sent, kept: readonly string[]): string | undefined => {
  const appended = expected.appends.flatMap(({ topic, partition, batch }) => textsIn(stamped(batch)).map((text) => textOf(topic, partition, text)));
  const missing = appended.find((text, i) => kept[i] !== text);
  if (missing !== undefined || kept.length !== appended.length)
    return `appended ${shown(kept.find((text, i) => appended[i] !== text))} where ${shown(missing)} was expected`;
  for (const { store, writes } of expected.writes) {
    const actual = commit.stores.find((one) => one.store === store) ?? { keys: [], values: [] };
    if (textOfWrites(actual) !== textOfWrites(writes)) return `wrote ${textOfWrites(actual)} to store '${store}' where ${textOfWrites(writes)} was expected`;
  }
  return undefined;
};
const textOfWrites = ({ keys, values }: Writes): string => keys.map((key, i) => `${latin(key)}=${latin(values[i] ?? null)}`).join(', ');
const shown = (text: string | undefined): string => text ?? 'nothing';
