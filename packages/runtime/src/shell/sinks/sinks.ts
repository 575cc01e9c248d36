/**
 * The sinks of an actor: opened with the actor, written before its commits, closed after its last commit.
 *
 * The performer of the actor writes batches one after the other, so a sink holds a prefix of the batches. After a failure the
 * actor ends, and its next incarnation asks the sink for its position.
 */
import { isStoplogError, StoplogError } from '@stoplog/core';
import { asError } from '@stoplog/core/kit';
import type { SinkStart, SinkWriter } from '@stoplog/core/port';
import type { SinkWrite } from '../../pure/actor/work.ts';
import type { AnySink } from '../../pure/nodes/node.ts';

export class Sinks {
  /** The positions kept by the sinks, by the name of the sink. */
  readonly recovered: ReadonlyMap<string, bigint | undefined>;
  readonly #writers: ReadonlyMap<string, SinkWriter>;

  private constructor(writers: ReadonlyMap<string, SinkWriter>, recovered: ReadonlyMap<string, bigint | undefined>) {
    this.#writers = writers;
    this.recovered = recovered;
  }

  /** `end` reads the end of the partition that the sinks are written from. */
  static async open(sinks: readonly AnySink[], start: SinkStart, end: () => Promise<bigint>): Promise<Sinks> {
    const writers = new Map<string, SinkWriter>();
    const recovered = new Map<string, bigint | undefined>();
    try {
      for (const { name, open } of sinks) {
        const writer = await open(start).catch(ofSink(name));
        writers.set(name, writer);
        const position = await writer.recover().catch(ofSink(name));
        recovered.set(name, position);
        // The sink is written behind durable records only, so the log that it was written from reaches to its position.
        if (position !== undefined) checkEnd(name, start, position, await end());
      }
    } catch (error) {
      await closeAll(writers.values());
      throw error;
    }
    return new Sinks(writers, recovered);
  }

  /** Resolves when the sinks have accepted the batches. */
  async write(writes: readonly SinkWrite[], signal: AbortSignal): Promise<void> {
    for (const { sink, batch } of writes) await this.#writers.get(sink)!.write(batch, signal).catch(ofSink(sink));
  }
  close(): Promise<void> {
    return closeAll(this.#writers.values());
  }
}

/** A sink that is ahead of the log was written from another one: it would leave out the records that this log has below the position. */
const checkEnd = (sink: string, { group, topic, partition }: SinkStart, position: bigint, end: bigint): void => {
  if (position <= end) return;
  throw new StoplogError(
    'STOPLOG_SINK',
    { sink, group, topic, partition, position, end },
    `sink '${sink}' has position ${position} of ${topic}[${partition}], which ends at ${end}: the sink was written from another log, or from this one before it was restored. Clear the positions and versions in the target, or write to another one: see docs/guides/writing-to-other-stores.md`,
  );
};

/** Errors of a close are ignored: they would hide the error that ended the actor. */
const closeAll = async (writers: Iterable<SinkWriter>): Promise<void> => {
  for (const writer of writers) {
    try {
      await writer[Symbol.asyncDispose]();
    } catch {
      continue;
    }
  }
};

const ofSink =
  (sink: string) =>
  (error: unknown): never => {
    if (isStoplogError(error)) throw error;
    const cause = asError(error);
    throw new StoplogError(
      'STOPLOG_SINK',
      { sink, cause: cause.message },
      `sink '${sink}' failed: ${cause.message}. Nothing of this commit was kept; the sink is opened again after a while, and resumes at its position`,
      { cause },
    );
  };
