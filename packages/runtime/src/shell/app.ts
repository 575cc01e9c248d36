/**
 * A running pipeline: joins the group, starts the actors when the partitions are its, and ends them when they are not.
 */
import { failpoint, makeClient, StoplogError, type CleaningStanding, type Log, type LogClient, type Store } from '@stoplog/core/port';
import type { Plan } from '../pure/topology/plan.ts';
import { Host, type ActorName, type HostEvent, type HostOptions } from './actors/host.ts';
import { CleaningWatch } from './cleaning-watch.ts';
import { inputPartitions, lagOf, statusOf, Tally, type StatusStream } from './flow/status.ts';
import { readStore, type StoreReader } from './stores.ts';

export interface App extends AsyncDisposable {
  /** The log this app runs on, for appending and reading. */
  readonly log: LogClient;
  /** Settles when the app has ended: by disposal, signal or abort; rejects with what ended it otherwise. */
  readonly finished: Promise<void>;
  /** Rates, lag and commit latency, once a second while subscribed. */
  readonly status: StatusStream;
  /**
   * Resolves when every record that was in the log has been processed and every commit is durable. Rejects when a
   * partition has been given up, with what its handler threw.
   */
  settled(): Promise<void>;
  /** Reads a store of the pipeline, as of the last commit. */
  store<K, V>(store: Store<K, V>): StoreReader<K, V>;
}

export interface AppParts {
  readonly plan: Plan;
  readonly log: Log;
  readonly host: Omit<HostOptions, 'plan' | 'on'>;
  readonly tell: (event: HostEvent | { readonly type: 'waiting' | 'ended' } | { readonly type: 'cleaning'; readonly line: string }) => void;
  /** What the log forgets of the topics of the plan. */
  readonly cleanings: () => Promise<readonly CleaningStanding[]>;
  readonly released: () => void;
}

/** How long a drain may take before threads are ended under it. */
const DRAIN_MS = 30_000;
/** How long `run` waits for the actors before it says that somebody else has the partitions. */
const STANDBY_MS = 1_000;
/** How soon `settled` looks again while no actor of its own can tell it. */
const LOOK_AGAIN_MS = 50;

/** The partitions are lost, or the app is over: whoever waits for an actor waits in vain. */
interface Turn {
  readonly type: 'lost' | 'over';
}

export class RunningApp implements App {
  readonly log: LogClient;
  readonly finished: Promise<void>;
  readonly status: StatusStream;
  readonly #parts: AppParts;
  readonly #host: Host;
  readonly #tally = new Tally();
  /** Asked to end: first the actors are drained, then the group is left. */
  readonly #stop = new AbortController();
  readonly #leave = new AbortController();
  readonly #running = new Set<string>();
  readonly #actors: number;
  /** Called at every event, by those who wait for one. */
  readonly #listeners = new Set<(event: HostEvent | Turn) => void>();
  #fatal: Error | undefined;

  constructor(parts: AppParts) {
    this.#parts = parts;
    const { plan, log } = parts;
    this.log = makeClient(log, async () => {});
    const watch = new CleaningWatch(parts.cleanings, (line) => parts.tell({ type: 'cleaning', line }), performance.now.bind(performance));
    this.status = statusOf(this.#tally, plan, log, () => watch.standings, this.#leave.signal);
    this.#actors = plan.tasks.reduce((sum, task) => sum + task.partitions, 0);
    this.#host = new Host({ ...parts.host, plan, on: (event) => this.#on(event) });
    watch.start();
    this.#leave.signal.addEventListener('abort', () => watch.stop(), { once: true });
    this.finished = this.#live().finally(() => watch.stop());
    // Whoever does not look at `finished` sees the error where it meets them: in settled() or in the console.
    this.finished.catch(() => {});
  }

  /** Resolves when all actors run, or when it is clear that another process has them; rejects with what prevents it. */
  started(): Promise<void> {
    return new Promise((resolve, reject) => {
      const standby = setTimeout(() => {
        if (this.#tally.state === 'waiting') {
          this.#parts.tell({ type: 'waiting' });
          done();
        }
      }, STANDBY_MS);
      const done = (): void => {
        clearTimeout(standby);
        this.#listeners.delete(look);
        if (this.#fatal === undefined) resolve();
        else reject(this.#fatal);
      };
      const look = (): void => {
        if (this.#fatal !== undefined || this.#running.size + this.#tally.failed.size >= this.#actors) done();
      };
      this.#listeners.add(look);
      look();
      void this.finished.then(done, (error: Error) => {
        this.#fatal ??= error;
        done();
      });
    });
  }

  async settled(): Promise<void> {
    for (;;) {
      this.#checkHealth();
      const lag = await lagOf(this.#parts.plan, this.#parts.log);
      if ([...lag.values()].every((records) => records === 0)) break;
      await this.#allIdle();
    }
    // An empty commit goes behind all others: when it is durable, they are.
    const barrier = await this.#parts.log.commit({ group: '', epoch: 0, appends: [], stores: [], positions: [] });
    await barrier.durable;
  }

  store<K, V>(store: Store<K, V>): StoreReader<K, V> {
    return readStore(this.#parts.log, this.#parts.plan, store);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.finished.catch(() => {});
  }

  /** From joining the group to leaving it. */
  async #live(): Promise<void> {
    const { plan, log, tell, released } = this.#parts;
    const partitions = inputPartitions(plan);
    this.#stop.signal.addEventListener('abort', () => void this.#drain(), { once: true });
    try {
      for await (const assignment of log.join(plan.name, partitions, this.#leave.signal)) {
        // A pipeline of sources alone reads no partitions; its epoch is its assignment.
        if (assignment.partitions.length === partitions.length) {
          if (this.#stop.signal.aborted) continue;
          failpoint('rebalance.assigned');
          this.#tally.state = 'running';
          this.#tally.failed.clear();
          // What was given up is tried again in each new epoch.
          this.#tally.failed.clear();
          this.#host.start(assignment.epoch);
        } else {
          failpoint('rebalance.revoke');
          this.#tally.state = 'waiting';
          tell({ type: 'waiting' });
          await this.#host.stop('abandon', DRAIN_MS);
          this.#running.clear();
          this.#announce({ type: 'lost' });
        }
      }
    } finally {
      this.#tally.state = 'ended';
      await this.#host.close();
      failpoint('close.closed');
      await log[Symbol.asyncDispose]();
      released();
      tell({ type: 'ended' });
      this.#announce({ type: 'over' });
    }
    if (this.#fatal !== undefined) throw this.#fatal;
  }
  async #drain(): Promise<void> {
    failpoint('close.draining');
    if (this.#tally.state === 'running') this.#tally.state = 'draining';
    await this.#host.stop('drain', DRAIN_MS);
    this.#leave.abort();
  }

  #on(event: HostEvent): void {
    switch (event.type) {
      case 'running':
        this.#running.add(nameOf(event.actor));
        break;
      case 'progress':
        this.#tally.add(event.actor, event.progress);
        break;
      case 'restarting':
        this.#tally.restarts++;
        break;
      case 'given-up':
        this.#running.delete(nameOf(event.actor));
        this.#tally.failed.set(nameOf(event.actor), { ...event.actor, error: event.error });
        break;
      case 'fatal':
        this.#fatal ??= event.error;
        this.#stop.abort();
        break;
      case 'idle':
      case 'reset':
        break;
    }
    this.#parts.tell(event);
    this.#announce(event);
  }
  #announce(event: HostEvent | Turn): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** One round: every actor has said once that it has nothing to do, or has failed. */
  #allIdle(): Promise<void> {
    return new Promise((resolve) => {
      const waiting = new Set(this.#host.tellIdle().map(nameOf));
      const done = (): void => {
        this.#listeners.delete(look);
        resolve();
      };
      const look = (event: HostEvent | Turn): void => {
        if (event.type === 'fatal' || event.type === 'given-up' || event.type === 'lost' || event.type === 'over') return done();
        if (event.type === 'running' || event.type === 'restarting') {
          // A new life has not heard the question: ask again when it is there.
          if (event.type === 'running') done();
          return;
        }
        if (event.type !== 'idle') return;
        waiting.delete(nameOf(event.actor));
        if (waiting.size === 0) done();
      };
      this.#listeners.add(look);
      // No actor lives here right now: one is about to be started again, or another process has them all.
      if (waiting.size === 0) setTimeout(done, LOOK_AGAIN_MS);
    });
  }
  #checkHealth(): void {
    const [failed] = this.#tally.failed.values();
    if (this.#fatal !== undefined) throw this.#fatal;
    if (failed !== undefined) throw failed.error;
    if (this.#tally.state === 'ended') throw new StoplogError('STOPLOG_USAGE', {}, 'the app has ended: call settled() before disposing of it');
  }
}

const nameOf = ({ task, partition }: ActorName): string => `${task}:${partition}`;
