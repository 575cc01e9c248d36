/**
 * A member of a group, by Kafka's classic group protocol: it joins, is assigned, and gives heartbeats until it leaves.
 *
 * All of that happens in the background of the caller's iteration, since a rebalance needs every member to join again, and soon. The
 * generation fences: the coordinator refuses commits under an older one, or from a member that it removed. While a rebalance
 * gathers its members the old generation still counts, so commits go on.
 */
import { setTimeout as after } from 'node:timers/promises';
import { asError, heartbeatMs, partitionName, SESSION_MS } from '@stoplog/core/kit';
import type { AssignedPartition, Membership, TopicPartition } from '@stoplog/core/port';
import * as protocol from '../client.ts';
import type { Connection } from '../client.ts';
import { failedAs } from '../failures.ts';
import type { Cluster } from './cluster.ts';
import type { Fence } from './fence.ts';
import { Changes } from './changes.ts';
import type { Assigned, Claim, KafkaAssignment } from './pure/leading.ts';
import { takePart } from './rebalance.ts';

/** A rebalance is noticed at the next heartbeat, so they come more often than a session needs. */
const HEARTBEAT_MS_MAX = 250;

export class Member {
  readonly #cluster: Cluster;
  readonly #group: string;
  readonly #membership: Membership;
  readonly #lane: string;
  readonly #incarnation: string;
  readonly #since = Date.now();
  #memberId = '';
  #joined: KafkaAssignment | undefined;
  /** Asked partitions whose work has ended, until the next assignment leaves them out. */
  #ended = new Set<string>();
  #table: readonly Assigned[] = [];
  #running: Promise<void> | undefined;
  #rebalance = new AbortController();
  readonly #changes = new Changes();
  #joins = 0;
  #left = false;
  #isReplaced = false;
  #failure: Error | undefined;

  constructor(cluster: Cluster, group: string, membership: Membership, incarnation: string) {
    this.#cluster = cluster;
    this.#group = group;
    this.#membership = membership;
    this.#incarnation = incarnation;
    this.#lane = `member ${incarnation}`;
  }

  get isIn(): boolean {
    return this.#joined !== undefined;
  }
  /** Another member has come under the same instance id. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }
  get holds(): readonly AssignedPartition[] {
    return this.#joined?.holds ?? [];
  }
  get asked(): readonly AssignedPartition[] {
    return (this.#joined?.asked ?? []).filter((holding) => !this.#ended.has(holdingName(holding)));
  }
  /** The fence of a commit of these places; undefined where the member does not work on one of them in this epoch. */
  fence(places: readonly TopicPartition[], epoch: number): Fence | undefined {
    const works = new Set([...this.holds, ...this.asked].map(holdingName));
    if (this.#joined === undefined || !places.every((place) => works.has(holdingName({ ...place, epoch })))) return undefined;
    return { memberId: this.#memberId, generation: this.#joined.generation, instanceId: this.#membership.instanceId ?? null };
  }

  /** Begins to take part; `isIn` says when it does. */
  enter(): void {
    this.#running = this.#run();
  }
  /** Throws the error that ended the member, if joining again would not help. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
  /** Says that the member works on nothing but `keeps`; resolves when the group has taken note. */
  async release(keeps: readonly AssignedPartition[]): Promise<void> {
    const kept = new Set(keeps.map(holdingName));
    const ended = this.asked.filter((holding) => !kept.has(holdingName(holding)));
    for (const holding of ended) this.#ended.add(holdingName(holding));
    if (ended.length === 0 || this.#joined === undefined) return;
    this.#rebalance.abort();
    while (!this.#left && ended.some((holding) => this.#ended.has(holdingName(holding)))) await this.changed();
  }
  /** Resolves at the next change of the member's assignment, or when the signal is aborted. */
  changed(signal?: AbortSignal): Promise<void> {
    return this.#changes.next(signal);
  }
  /** Resolves when the member knows why this fence was refused: it has a later generation, or it is out. */
  async behind({ memberId, generation }: Fence): Promise<void> {
    if (memberId !== this.#memberId) return;
    this.#rebalance.abort();
    while (this.#joined?.generation === generation && !this.#left) await this.changed();
  }
  async leave(): Promise<void> {
    if (!this.#left) {
      this.#left = true;
      this.#rebalance.abort();
      await this.#sendLeave();
      this.#changes.announce();
    }
    // A static member is expected back, and its rebalance may take long.
    if (this.#membership.instanceId === undefined) await this.#running;
  }
  /** A static member sends none: its session continues without it. */
  async #sendLeave(): Promise<void> {
    if (this.#membership.instanceId !== undefined || this.#memberId === '') return;
    const member = { memberId: this.#memberId, groupInstanceId: null, reason: null };
    await this.#call('leave', (connection) => protocol.leaveGroup.api.async(connection, this.#group, [member])).catch((error: unknown) => {
      if (!failedAs(error, 'UNKNOWN_MEMBER_ID')) throw error;
    });
  }

  async #run(): Promise<void> {
    try {
      while (!this.#left) {
        this.#rebalance = new AbortController();
        await this.#join();
        this.#changes.announce();
        await this.#beat(this.#rebalance.signal);
      }
      // The member may have joined while it was leaving.
      await this.#sendLeave();
    } catch (error) {
      if (failedAs(error, 'FENCED_INSTANCE_ID')) this.#isReplaced = true;
      else if (!failedAs(error, 'UNKNOWN_MEMBER_ID') && !this.#left) this.#failure = asError(error);
    }
    this.#joined = undefined;
    this.#memberId = '';
    this.#ended.clear();
    this.#changes.announce();
  }

  /** Heartbeats until the group rebalances, or this member wants it to. */
  async #beat(signal: AbortSignal): Promise<void> {
    const everyMs = Math.min(HEARTBEAT_MS_MAX, heartbeatMs(this.#membership.sessionMs ?? SESSION_MS));
    const { instanceId = null } = this.#membership;
    while (!signal.aborted) {
      await after(everyMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#call('beat', (connection) => protocol.heartbeat.api.async(connection, this.#group, this.#joined!.generation, this.#memberId, instanceId));
      } catch (error) {
        if (failedAs(error, 'REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION')) return;
        throw error;
      }
    }
  }

  /** Takes part in one rebalance, or in the next where that one is overtaken. */
  async #join(): Promise<void> {
    for (;;) {
      try {
        return await this.#joinOnce();
      } catch (error) {
        if (this.#left || !failedAs(error, 'REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION')) throw error;
      }
    }
  }
  async #joinOnce(): Promise<void> {
    const assignment = await takePart({
      call: (call) => this.#call('join', call),
      group: this.#group,
      membership: this.#membership,
      memberId: this.#memberId,
      claim: this.#claim(),
      before: this.#table,
      named: (memberId) => {
        this.#memberId = memberId;
        return !this.#left;
      },
    });
    this.#table = assignment.table;
    // A static member that came back has the assignment of its last life: it may not use that assignment before the group has rebalanced.
    const { instanceId } = this.#membership;
    if (instanceId !== undefined && assignment.table.some((one) => one.instanceId === instanceId && one.incarnation !== this.#incarnation))
      return this.#joinOnce();
    const asked = new Set(assignment.asked.map(holdingName));
    this.#ended = new Set([...this.#ended].filter((name) => asked.has(name)));
    this.#joined = assignment;
  }
  #claim(): Claim {
    const works = [...this.holds.map((holding) => ({ ...holding, asked: false })), ...this.asked.map((holding) => ({ ...holding, asked: true }))];
    return {
      units: this.#membership.units,
      works,
      since: this.#since,
      instanceId: this.#membership.instanceId,
      incarnation: this.#incarnation,
      joins: ++this.#joins,
    };
  }

  #call<T>(lane: string, call: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#cluster.coordinated('group', this.#group, `${this.#lane} ${lane}`, call);
  }
}

const holdingName = (holding: AssignedPartition): string => `${partitionName(holding)} ${holding.epoch}`;
