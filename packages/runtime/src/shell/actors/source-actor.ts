/**
 * One partition of a source: pull, step, commit, wait until the commit is durable, acknowledge, and again.
 *
 * The position of the source is committed with the records. A source that can go back begins at that position after a crash,
 * and repeats nothing. One that cannot (a queue, an Observable) repeats at most the batch whose acknowledgement was lost.
 */
import type { MessagePort } from 'node:worker_threads';
import { isStoplogError, type LogRecord, StoplogError } from '@stoplog/core';
import type { Arrival, ArrivalBatch, Log, RawArrival, Source, SourceReader, SourceStart } from '@stoplog/core/port';
import { asError, assert, NO_HEADERS, sourcePlace } from '@stoplog/core/kit';
import type { Progress } from '../../pure/mailbox.ts';
import type { Emit } from '../../pure/nodes/emit.ts';
import type { TopicOutput } from '../../pure/task/outputs.ts';
import { RemoteReader } from '../sources/remote-reader.ts';
import type { Beacon } from './beacon.ts';
import { Committer } from './committer.ts';
import type { EndingSignal } from './ending.ts';

const PULL = { records: 4_096, bytes: 4 * 1024 * 1024 };

/** A reader in this thread, or in the thread for sources: then what it yields is decoded here. */
export type OpenSource =
  | { readonly reader: SourceReader; readonly decode?: undefined }
  | { readonly reader: SourceReader<RawArrival>; readonly decode: (arrival: RawArrival) => Arrival };

export interface SourceActorParts {
  readonly group: string;
  readonly epoch: number;
  /** A name that no other incarnation of an actor has. */
  readonly life: string;
  readonly name: string;
  readonly partition: number;
  /** What the group committed last. */
  readonly position: bigint;
  readonly source: OpenSource;
  readonly emit: Emit;
  readonly outputs: readonly TopicOutput[];
  readonly log: Log;
  readonly beacon: Beacon;
  readonly ending: EndingSignal;
  readonly now: () => number;
  readonly idle: () => void;
}

export class SourceActor {
  readonly #parts: SourceActorParts;
  readonly #committer: Committer;
  #recordsIn = 0;
  #recordsOut = 0;
  #failure: Error | undefined;
  #arrived = 0n;
  #position: bigint;
  /** Waiting for arrivals, with everything committed and acknowledged. */
  resting = false;

  constructor(parts: SourceActorParts) {
    this.#parts = parts;
    this.#position = parts.position;
    this.#committer = new Committer(parts.log, parts.now);
  }

  async turn(): Promise<boolean> {
    const { ending, idle, name } = this.#parts;
    if (this.#failure !== undefined) throw this.#failure;
    if (ending.ending !== undefined) return false;
    this.resting = true;
    idle();
    const { reader } = this.#parts.source;
    const batch = await reader.pull(PULL, ending.signal).catch((error: unknown) => {
      throw sourceFailed(name, error);
    });
    this.resting = false;
    try {
      this.#step(batch);
    } catch (error) {
      // Others may have what this actor failed at, and this one when it is started again: at once, for the host waits as long as is right.
      await reader.release?.(itemsOf(batch), 0).catch(() => {});
      throw error;
    }
    const position = batch.position ?? this.#position + BigInt(batch.arrivals.length);
    if (batch.arrivals.length > 0 || position !== this.#position) {
      await this.#commit(batch.arrivals.length, position);
      await reader.acknowledge(itemsOf(batch), position).catch((error: unknown) => {
        throw sourceFailed(name, error);
      });
    }
    if (batch.ended) {
      this.resting = true;
      idle();
      await aborted(ending.signal);
    }
    return true;
  }

  /** Takes a batch through the task's function, arrival by arrival. */
  #step(batch: ArrivalBatch | ArrivalBatch<RawArrival>): void {
    const { beacon, name, partition, emit } = this.#parts;
    const { decode } = this.#parts.source;
    beacon.at(0, this.#arrived);
    for (const [i, given] of batch.arrivals.entries()) {
      beacon.enter(i);
      try {
        const { key, value, timestamp, headers = NO_HEADERS } = decode === undefined ? given : decode(given as RawArrival);
        const record: LogRecord<unknown, unknown> = { key, value, timestamp, headers, offset: this.#arrived++, topic: name, partition };
        emit(record);
      } catch (error) {
        beacon.leave();
        const cause = asError(error);
        throw new StoplogError(
          'STOPLOG_HANDLER',
          { source: name, partition, item: given.item },
          `a handler failed at a record of source '${name}': ${cause.message}. Nothing of its batch was kept`,
          { cause },
        );
      }
      beacon.leave();
    }
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#parts.ending.end('abandon');
  }
  async quiet(): Promise<void> {
    await this.#committer.settled().catch(() => {});
    try {
      await this.#parts.source.reader[Symbol.asyncDispose]();
    } catch {
      // What it was is over; an error here would hide the one that ended it.
    }
  }
  takeProgress(): Progress {
    const progress = {
      recordsIn: this.#recordsIn,
      recordsOut: this.#recordsOut,
      commits: this.#committer.commits,
      commitMs: this.#committer.commitMs.splice(0),
    };
    this.#recordsIn = this.#recordsOut = this.#committer.commits = 0;
    return progress;
  }

  async #commit(records: number, to: bigint): Promise<void> {
    await this.#committer.credit();
    const { group, epoch, life, name, partition, outputs } = this.#parts;
    const taken = outputs.map((output) => output.take());
    const positions = [{ ...sourcePlace(name, partition), from: this.#position, to }];
    await this.#committer.send({ group, epoch, life, appends: taken.flatMap(({ batches }) => batches), stores: [], positions }, () => {});
    await this.#committer.settled();
    this.#position = to;
    this.#recordsIn += records;
    for (const out of taken) this.#recordsOut += out.records;
  }
}

const itemsOf = (batch: ArrivalBatch | ArrivalBatch<RawArrival>): readonly unknown[] => batch.arrivals.map(({ item }) => item);

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Opens a source, as long as nobody wants the actor to end: one that does not open holds up no drain. */
export const openSource = async (
  source: Source<unknown, unknown>,
  start: SourceStart,
  /** A line to the thread for sources, where the source yields bytes. */
  line: MessagePort | undefined,
  ending: EndingSignal,
): Promise<OpenSource> => {
  const opening = openedBy(source, start, line);
  const opened = await Promise.race([opening, aborted(ending.signal)]).catch((error: unknown) => {
    throw sourceFailed(source.name, error);
  });
  if (opened !== undefined) return opened;
  void opening.then(({ reader }) => reader[Symbol.asyncDispose]()).catch(() => {});
  throw sourceFailed(source.name, new Error('it was to end before it was open'));
};
const openedBy = async (source: Source<unknown, unknown>, start: SourceStart, line: MessagePort | undefined): Promise<OpenSource> => {
  if (source.decode === undefined) return { reader: await source.open(start) };
  assert(line !== undefined, 'a source of bytes is read in the thread for sources');
  return { reader: await new RemoteReader(source.name, line).open(start), decode: source.decode };
};
const sourceFailed = (name: string, error: unknown): StoplogError => {
  if (isStoplogError(error)) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  return new StoplogError(
    'STOPLOG_SOURCE',
    { source: name, cause: cause.message },
    `source '${name}' failed: ${cause.message}. It is opened again after a while`,
    { cause },
  );
};
