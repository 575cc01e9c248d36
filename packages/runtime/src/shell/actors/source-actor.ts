/**
 * One source: pull, step, commit, wait until that is durable, acknowledge, and again.
 *
 * What lies outside the log has no position in it, so a crash between the commit and the acknowledgement repeats a batch.
 * Nothing is lost by it, and what follows can tell: the records are in the topic that the source was sent through.
 */
import type { Log, LogRecord, Source, SourceReader } from '@stoplog/core/port';
import { isStoplogError, NO_HEADERS, sourcePlace, StoplogError } from '@stoplog/core/port';
import type { Progress } from '../../pure/host/mailbox.ts';
import type { Emit } from '../../pure/nodes/emit.ts';
import type { TopicOutput } from '../../pure/actor/outputs.ts';
import type { Beacon } from './beacon.ts';
import { Committer } from './committer.ts';
import type { EndingSignal } from './ending.ts';

const PULL_RECORDS = 4_096;

export interface SourceActorParts {
  readonly group: string;
  readonly epoch: number;
  readonly name: string;
  readonly reader: SourceReader;
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
  /** Waiting for arrivals, with everything committed and acknowledged. */
  resting = false;

  constructor(parts: SourceActorParts) {
    this.#parts = parts;
    this.#committer = new Committer(parts.log, parts.now);
  }

  async turn(): Promise<boolean> {
    const { reader, ending, idle, name, beacon } = this.#parts;
    if (this.#failure !== undefined) throw this.#failure;
    if (ending.ending !== undefined) return false;
    this.resting = true;
    idle();
    const batch = await reader.pull({ records: PULL_RECORDS }, ending.signal).catch((error: unknown) => {
      throw sourceFailed(name, error);
    });
    this.resting = false;
    beacon.at(0, this.#arrived);
    for (const [i, { key, value, timestamp }] of batch.arrivals.entries()) {
      beacon.enter(i);
      const record: LogRecord<unknown, unknown> = { key, value, timestamp, headers: NO_HEADERS, offset: this.#arrived++, topic: name, partition: 0 };
      try {
        this.#parts.emit(record);
      } catch (error) {
        beacon.leave();
        const cause = error instanceof Error ? error : new Error(String(error));
        throw new StoplogError(
          'STOPLOG_HANDLER',
          { source: name, key },
          `a handler failed at a record of source '${name}': ${cause.message}. Nothing of its batch was kept`,
          { cause },
        );
      }
      beacon.leave();
    }
    if (batch.arrivals.length > 0) await this.#commit(batch.arrivals.length);
    await reader.acknowledge(batch);
    if (batch.ended) {
      this.resting = true;
      idle();
      await aborted(ending.signal);
    }
    return true;
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#parts.ending.end('abandon');
  }
  async quiet(): Promise<void> {
    await this.#committer.settled().catch(() => {});
    try {
      await this.#parts.reader[Symbol.asyncDispose]();
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

  async #commit(records: number): Promise<void> {
    await this.#committer.credit();
    const { group, epoch, name, outputs } = this.#parts;
    const taken = outputs.map((output) => output.take());
    // A source has no offsets; that its place stands still is what the epoch is compared for.
    const positions = [{ ...sourcePlace(name), from: 0n, to: 0n }];
    await this.#committer.send({ group, epoch, appends: taken.flatMap(({ batches }) => batches), stores: [], positions }, () => {});
    await this.#committer.settled();
    this.#recordsIn += records;
    for (const out of taken) this.#recordsOut += out.records;
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Opens a source, as long as nobody wants the actor to end: one that does not open holds up no drain. */
export const openSource = async (source: Source<unknown, unknown>, ending: EndingSignal): Promise<SourceReader> => {
  const opening = source.open();
  const reader = await Promise.race([opening, aborted(ending.signal)]).catch((error: unknown) => {
    throw sourceFailed(source.name, error);
  });
  if (reader !== undefined) return reader;
  void opening.then((late) => late[Symbol.asyncDispose]()).catch(() => {});
  throw sourceFailed(source.name, new Error('it was to end before it was open'));
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
