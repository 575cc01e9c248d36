/**
 * Producers inside a write transaction: checks which incarnation may append under a name, and which batches are repeated.
 *
 * The name of a producer leads to a number, the number to its epoch; so a fenced incarnation is refused in every
 * partition at once. The producers of a commit are read and checked before its first put, and stored with it.
 */
import {
  FORGET_PRODUCER_MS,
  decodeProducer,
  encodeProducer,
  step,
  type ProducerIncarnation,
  type ProducerStamp,
  type ProducerState,
} from '../../pure/producer/producer.ts';
import { producedKey, producerKey, prefixEnd, unseal } from '../layout/keyspace.ts';
import { fromBytes, goneKey, PRODUCER_PREFIX, producerMetaKey, toBytes, type GoneMeta, type ProducerMeta } from '../layout/meta.ts';
import { outOfSequence, producerFenced } from '../../pure/producer/refusals.ts';
import { nextId } from './declare.ts';
import { putMeta, readMeta } from '../tables/rows.ts';
import type { Cleanups } from '../tables/cleanups.ts';
import type { Env } from '../tables/env.ts';
import { put, read } from '../tables/sealed.ts';

export interface ProducerRecord {
  readonly name: string;
  readonly epoch: number;
  /** The time of its last append, to within `TOUCH_MS`. */
  readonly at: number;
}
const TOUCH_MS = 3_600_000;

const readRecord = (env: Env, id: number): ProducerRecord | undefined => {
  const bytes = read(env, 'producers', producerKey(id));
  return bytes === undefined ? undefined : fromBytes<ProducerRecord>(bytes);
};
const putRecord = (env: Env, id: number, record: ProducerRecord): void => put(env, 'producers', producerKey(id), toBytes(record));

/** Begins an incarnation of the producer. With `held`, continues that one, unless another has begun; a forgotten producer begins a new one. */
export const applyOpenProducer = (env: Env, name: string, held: ProducerIncarnation | undefined, now: number): ProducerIncarnation => {
  const known = readMeta<ProducerMeta>(env, producerMetaKey(name));
  const record = known && readRecord(env, known.id);
  if (held !== undefined && known !== undefined) {
    if (known.id !== held.id || record?.epoch !== held.epoch) throw producerFenced(name, held, record?.epoch);
    putRecord(env, known.id, { ...record, at: now });
    return held;
  }
  if (known !== undefined && record !== undefined) {
    putRecord(env, known.id, { ...record, epoch: record.epoch + 1, at: now });
    return { id: known.id, epoch: record.epoch + 1 };
  }
  // A name without a record, as a repair may leave it, gets another number, so that it is not taken for an earlier incarnation.
  if (known !== undefined) putMeta(env, goneKey(known.id), { id: known.id, kind: 'producer' } satisfies GoneMeta);
  const id = nextId(env);
  putMeta(env, producerMetaKey(name), { id } satisfies ProducerMeta);
  putRecord(env, id, { name, epoch: 1, at: now });
  return { id, epoch: 1 };
};

/** The producers without an append for `FORGET_PRODUCER_MS`. */
export const silentProducers = (env: Env, now: number): readonly { readonly key: Buffer; readonly id: number }[] => {
  const range = env.tables.meta.getRange({ start: PRODUCER_PREFIX, end: prefixEnd(PRODUCER_PREFIX), snapshot: false });
  const metas = [...range].map(({ key, value }) => ({ key: Buffer.from(key), id: fromBytes<ProducerMeta>(unseal('meta', key, value)).id }));
  return metas.filter(({ id }) => now - (readRecord(env, id)?.at ?? -Infinity) > FORGET_PRODUCER_MS);
};
/** Forgets these producers; their states are swept afterwards. */
export const applyForgetProducers = (env: Env, now: number): void => {
  for (const { key, id } of silentProducers(env, now)) {
    env.tables.meta.removeSync(key);
    env.tables.producers.removeSync(producerKey(id));
    putMeta(env, goneKey(id), { id, kind: 'producer' } satisfies GoneMeta);
  }
};

interface ProducedAppend {
  readonly topicId: number;
  readonly partition: number;
  readonly producer?: ProducerStamp | undefined;
}

/** The producers of one commit. */
export class ProducersInCommit {
  readonly #env: Env;
  readonly #cleanups: Cleanups;
  readonly #records = new Map<number, ProducerRecord>();
  readonly #states = new Map<string, { readonly key: Buffer; state: ProducerState | undefined }>();

  constructor(env: Env, cleanups: Cleanups) {
    this.#env = env;
    this.#cleanups = cleanups;
  }

  /** Returns the offset of a repeated batch; undefined when the batch is to be appended at `base`. Throws when it must be refused. */
  arrive(append: ProducedAppend, count: number, base: bigint): bigint | undefined {
    const { topicId, partition, producer } = append;
    if (producer === undefined) return undefined;
    const { name } = this.#owner(producer);
    const kept = this.#state(producer.id, topicId, partition);
    const [next, effect] = step(kept.state, { epoch: producer.epoch, sequence: producer.sequence, count, base });
    if (effect.type === 'refused')
      throw outOfSequence(name, { topic: this.#cleanups.nameOf(topicId) ?? `topic ${topicId}`, partition }, producer, effect.expected);
    kept.state = next;
    return effect.type === 'repeated' ? effect.base : undefined;
  }

  /** Stores the states of the appended batches. */
  write(): void {
    for (const { key, state } of this.#states.values()) if (state !== undefined) put(this.#env, 'producers', key, encodeProducer(state));
    const now = this.#cleanups.times.stamp();
    // A time that was stamped by a clock that ran ahead is corrected.
    for (const [id, record] of this.#records) if (Math.abs(now - record.at) > TOUCH_MS) putRecord(this.#env, id, { ...record, at: now });
  }

  #owner(producer: ProducerStamp): ProducerRecord {
    const record = this.#records.get(producer.id) ?? readRecord(this.#env, producer.id);
    if (record?.epoch !== producer.epoch) throw producerFenced(record?.name, producer, record?.epoch);
    this.#records.set(producer.id, record);
    return record;
  }
  #state(id: number, topicId: number, partition: number): { readonly key: Buffer; state: ProducerState | undefined } {
    const key = producedKey(id, topicId, partition);
    const name = key.toString('latin1');
    let kept = this.#states.get(name);
    if (kept === undefined) {
      const bytes = read(this.#env, 'producers', key);
      this.#states.set(name, (kept = { key, state: bytes && decodeProducer(bytes) }));
    }
    return kept;
  }
}
