/** The Administration of a log over LMDB: reads through the memory map, and sends changes to the writer. */
import { isNotes } from '../../pure/store/notes.ts';
import type { Backup, PartitionCleaning, GroupMember, GroupDescription } from '../../port/administration.ts';
import type { AssignedPartition, Position } from '../../port/log.ts';
import type { Adopted, Adoption } from '../../port/rebuilding.ts';
import type { Watch } from '../../port/watch.ts';
import { topicIdOf, type KeptMember } from '../layout/group-record.ts';
import type { ResetLine } from '../../pure/group/reset.ts';
import { StoplogError } from '../../pure/errors.ts';
import { decodeOffset, groupKey, prefixEnd, unseal, type Table } from '../layout/keyspace.ts';
import {
  cleaningKey,
  fromBytes,
  GROUP_PREFIX,
  SOURCE_PREFIX,
  STORE_PREFIX,
  TOPIC_PREFIX,
  type GroupMeta,
  type SourceMeta,
  type StoreMeta,
  type TopicMeta,
} from '../layout/meta.ts';
import type { Usage } from '../../port/usage.ts';
import { makeBackup } from '../copy/backup.ts';
import { usageOfEnv } from '../tables/usage.ts';
import { cleanupOf } from '../../pure/retention/cleanup.ts';
import { decodeReport } from '../layout/cleaning-bytes.ts';
import { outlookOf } from '../../pure/retention/due.ts';
import { readEnds } from '../tables/rows.ts';
import { read } from '../tables/sealed.ts';
import { asLogError, type Env } from '../tables/env.ts';
import { refresh } from '../tables/seen.ts';
import { isPresent, readGroup } from '../transaction/groups.ts';
import type { WriterLink } from '../writer/link.ts';
import { segmentsOf } from '../tables/segments.ts';
import type { PlacedReport } from '../cleaner/reports.ts';

export class Administrator {
  readonly #env: Env;
  readonly #link: WriterLink;
  readonly #closing = new AbortController();
  readonly #copying = new Set<Promise<unknown>>();

  readonly #now: () => number;

  constructor(env: Env, link: WriterLink, now: () => number) {
    this.#env = env;
    this.#now = now;
    this.#link = link;
  }

  async groups(): Promise<readonly GroupDescription[]> {
    try {
      refresh(this.#env);
      const topicMetas = this.#metas<TopicMeta>(TOPIC_PREFIX);
      const topics = new Map(topicMetas.map(({ name, meta }) => [meta.id, name]));
      const sources = this.#metas<SourceMeta>(SOURCE_PREFIX).map(({ name, meta }) => [meta.id, `${SOURCE_PREFIX.toString()}${name}`] as const);
      const names = new Map([...topics, ...sources]);
      const stores = this.#metas<StoreMeta>(STORE_PREFIX);
      return this.#metas<GroupMeta>(GROUP_PREFIX).map(({ name: group, meta: { id, keptUntil } }) => {
        const { state } = readGroup(this.#env, id);
        const holds = (member: string): readonly AssignedPartition[] =>
          [...state.held.values()].flatMap((held) => {
            const topic = names.get(topicIdOf(held));
            return held.member !== member || topic === undefined ? [] : [{ topic, partition: held.partition, epoch: held.epoch }];
          });
        return {
          group,
          epoch: state.epoch,
          members: state.members.filter((member) => isPresent(this.#env, member, Date.now())).map((member) => seen(member, holds(member.id))),
          positions: this.#positions(id, topics),
          stores: stores
            .filter(({ name, meta }) => meta.group === group && !isNotes(name))
            .map(({ name, meta: { version, fingerprint } }) => ({ store: name, version, fingerprint })),
          ...(stores.some(({ name, meta }) => meta.group === group && isNotes(name)) ? { hasNotes: true as const } : {}),
          ...(keptUntil === undefined ? {} : { keptUntil }),
          owns: topicMetas.filter(({ meta }) => meta.owner === group).map(({ name }) => name),
        };
      });
    } catch (error) {
      throw asLogError(this.#env, error);
    }
  }
  async cleanings(topics?: readonly string[]): Promise<readonly PartitionCleaning[]> {
    const { unsaved } = await this.#link.call({ type: 'reports' });
    try {
      refresh(this.#env);
      return this.#metas<TopicMeta>(TOPIC_PREFIX)
        .filter(({ name }) => topics === undefined || topics.includes(name))
        .flatMap(({ name, meta }) => Array.from({ length: meta.shape.partitions }, (_, partition) => this.#cleaning(name, meta, partition, unsaved)));
    } catch (error) {
      throw asLogError(this.#env, error);
    }
  }
  async setPositions(group: string, lines: readonly ResetLine[]): Promise<void> {
    await this.#link.call({ type: 'set-positions', group, lines });
    this.#env.root.resetReadTxn();
  }
  async deleteGroup(group: string): Promise<void> {
    await this.#link.call({ type: 'delete-group', group });
    await this.#sweep();
  }
  async adoptRebuild(adoption: Adoption): Promise<Adopted> {
    const { outcome } = await this.#link.call({ type: 'adopt-rebuild', adoption });
    this.#env.root.resetReadTxn();
    if (outcome.adopted) await this.#sweep();
    return outcome;
  }
  async deleteTopic(topic: string): Promise<void> {
    await this.#link.call({ type: 'delete-topic', topic });
    await this.#sweep();
  }

  async usage(): Promise<Usage> {
    try {
      return usageOfEnv(this.#env);
    } catch (error) {
      throw asLogError(this.#env, error);
    }
  }
  async backup(folder: string, { signal, onProgress }: Watch): Promise<Backup> {
    // The sweep makes sure that the commit taken for the last one is the last one (transactions.ts): a snapshot depends on
    // it.
    await this.#link.call({ type: 'sweep' });
    const either = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    const copying = makeBackup(this.#env, folder, { signal: either, onProgress });
    this.#copying.add(copying);
    try {
      return await copying;
    } finally {
      this.#copying.delete(copying);
    }
  }
  /** Ends running backups before the map that they read is closed. */
  async close(): Promise<void> {
    this.#closing.abort(
      new StoplogError(
        'STOPLOG_LOG_UNAVAILABLE',
        {},
        'the log was closed while it was being backed up: nothing was left behind; open it, and back it up again',
      ),
    );
    await Promise.allSettled(this.#copying);
  }

  #cleaning(topic: string, { id: topicId, shape }: TopicMeta, partition: number, unsaved: readonly PlacedReport[]): PartitionCleaning {
    const cleanup = cleanupOf(shape);
    const place = { topic, topicId, partition };
    const ends = readEnds(this.#env, topicId, partition);
    const { cleanBytes, dirtyBytes, dueAt } = outlookOf(segmentsOf(this.#env, place, ends), ends, cleanup, this.#now());
    const saved = read(this.#env, 'meta', cleaningKey(topicId, partition));
    const newer = unsaved.find((one) => one.topicId === topicId && one.partition === partition)?.report;
    return {
      topic,
      partition,
      ...(newer ?? (saved === undefined ? {} : decodeReport(saved))),
      bytes: ends.bytes,
      dirtyBytes: cleanup.compacts ? dirtyBytes : undefined,
      dirtyRatio: cleanup.compacts ? dirtyBytes / Math.max(1, cleanBytes + dirtyBytes) : undefined,
      dueAt,
    };
  }
  async #sweep(): Promise<void> {
    while ((await this.#link.call({ type: 'sweep' })).left);
    this.#env.root.resetReadTxn();
  }
  #positions(groupId: number, topics: ReadonlyMap<number, string>): readonly Position[] {
    return this.#entries('positions', groupKey(groupId)).flatMap(({ key, value }) => {
      const topic = topics.get(key.readUInt32BE(4));
      return topic === undefined ? [] : [{ topic, partition: key.readUInt32BE(8), offset: decodeOffset(unseal('positions', key, value)) }];
    });
  }
  #metas<T>(prefix: Buffer): readonly { readonly name: string; readonly meta: T }[] {
    return this.#entries('meta', prefix).map(({ key, value }) => ({
      name: key.toString().slice(prefix.length),
      meta: fromBytes<T>(unseal('meta', key, value)),
    }));
  }
  #entries(table: Table, prefix: Buffer): readonly { readonly key: Buffer; readonly value: Buffer }[] {
    return [...this.#env.tables[table].getRange({ start: prefix, end: prefixEnd(prefix), snapshot: false })];
  }
}

const seen = ({ id, instanceId, pid, sessionMs, since, beatAt }: KeptMember, holds: readonly AssignedPartition[]): GroupMember => ({
  instance: id,
  ...(instanceId === undefined ? {} : { instanceId }),
  pid,
  sessionMs,
  since,
  beatAt,
  holds,
});
