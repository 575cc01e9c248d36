/**
 * The keys of the meta table, which gives each topic, store, group and producer its number.
 *
 * Names are written once; keys carry numbers. A number is never assigned twice, not even after a topic is deleted, so that an
 * old reader cannot take new bytes for old ones.
 */
import type { HeldSchemas, TopicShape } from '../../pure/topic/shape.ts';

export interface TopicMeta {
  readonly id: number;
  readonly shape: TopicShape;
  /** The schemas by which something was appended; those of the shape are of the latest declaration, which may be a reader's. Not there: nothing is known. */
  readonly held?: HeldSchemas;
  /** The group that fills the topic by itself. */
  readonly owner?: string;
}
export interface StoreMeta {
  readonly id: number;
  readonly group: string;
  readonly version: number;
  readonly fingerprint: string;
}
export interface GroupMeta {
  readonly id: number;
  /** The group is what a rebuild replaced, and is kept until then (ms since 1970). */
  readonly keptUntil?: number;
}
export interface SourceMeta {
  readonly id: number;
}
export interface ProducerMeta {
  readonly id: number;
}

export const topicMetaKey = (name: string): Buffer => Buffer.from(`topic:${name}`);
export const storeMetaKey = (name: string): Buffer => Buffer.from(`store:${name}`);
/** The key of a source's number, which stands for the source in groups. */
export const sourceMetaKey = (topic: string): Buffer => Buffer.from(topic);
export const groupMetaKey = (name: string): Buffer => Buffer.from(`group:${name}`);
export const producerMetaKey = (name: string): Buffer => Buffer.from(`producer:${name}`);
export const nextIdKey = (): Buffer => Buffer.from('next');
export const formatKey = (): Buffer => Buffer.from('format');
/** The file's identity, by its number in the file system: a copy has the number of its original until it is opened. */
export const fileKey = (): Buffer => Buffer.from('file');
/** Topics from which a group commits nothing for a moment, while a rebuild takes over. */
export const SEALED_PREFIX = 'sealed:';
export const sealedKey = (groupId: number): Buffer => Buffer.from(`${SEALED_PREFIX}${groupId}`);
export interface SealedMeta {
  /** The numbers of the topics. */
  readonly topics: readonly number[];
  /** Ms since 1970, by the wall clock of the machine: a wrong clock costs the group a pause, or the rebuild another try. */
  readonly until: number;
}
/** Counts the exchanges of names: numbers of topics that were looked up before may belong to other names now. */
export const exchangesKey = (): Buffer => Buffer.from('exchanges');
/** How far the clock has come that ages are counted by: see log-clock.ts. */
export const clockKey = (): Buffer => Buffer.from('clock');
export const TOPIC_PREFIX: Buffer = Buffer.from('topic:');
export const STORE_PREFIX: Buffer = Buffer.from('store:');
export const SOURCE_PREFIX: Buffer = Buffer.from('source:');
export const GROUP_PREFIX: Buffer = Buffer.from('group:');
export const PRODUCER_PREFIX: Buffer = Buffer.from('producer:');
/** Numbers whose names are deleted, and whose bytes are still to be swept. */
export const GONE_PREFIX: Buffer = Buffer.from('gone:');
export interface GoneMeta {
  readonly id: number;
  readonly kind: 'topic' | 'store' | 'producer';
}
/** The outcome of a partition's cleaning: see cleaning-report.ts. */
export const CLEANING_PREFIX = 'cleaning:';
export const cleaningKey = (topicId: number, partition: number): Buffer => Buffer.from(`${CLEANING_PREFIX}${topicId}:${partition}`);
export const goneKey = (id: number): Buffer => Buffer.from(`gone:${id}`);

export const toBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
export const fromBytes = <T>(bytes: Uint8Array): T => JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as T;
