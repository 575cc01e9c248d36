/** Opens a source for its actor, in this thread or in the thread for sources, and names the source in a failure. */
import type { MessagePort } from 'node:worker_threads';
import { isStoplogError, StoplogError } from '@stoplog/core';
import { assert } from '@stoplog/core/kit';
import type { Arrival, RawArrival, Source, SourceReader, SourceStart } from '@stoplog/core/port';
import { RemoteReader } from '../sources/remote-reader.ts';

/** A reader in this thread, or in the thread for sources; arrivals from the other thread are decoded here. */
export type OpenSource =
  | { readonly reader: SourceReader; readonly decode?: undefined }
  | { readonly reader: SourceReader<RawArrival>; readonly decode: (arrival: RawArrival) => Arrival };

/** Opens a source, unless the actor is draining: a source that does not open holds up no drain. */
export const openSource = async (
  source: Source<unknown, unknown>,
  start: SourceStart,
  /** A line to the thread for sources, where the source yields bytes. */
  line: MessagePort | undefined,
  ending: AbortSignal,
): Promise<OpenSource> => {
  const opening = openedBy(source, start, line);
  const opened = await Promise.race([opening, aborted(ending)]).catch((error: unknown) => {
    throw sourceFailed(source.name, error);
  });
  if (opened !== undefined) return opened;
  void opening.then(({ reader }) => reader[Symbol.asyncDispose]()).catch(() => {});
  throw sourceFailed(source.name, new Error('the actor was drained before the source was open'));
};
const openedBy = async (source: Source<unknown, unknown>, start: SourceStart, line: MessagePort | undefined): Promise<OpenSource> => {
  if (source.decode === undefined) return { reader: await source.open(start) };
  assert(line !== undefined, 'a source of bytes is read in the thread for sources');
  return { reader: await new RemoteReader(source.name, line).open(start), decode: source.decode };
};

export const sourceFailed = (name: string, error: unknown): StoplogError => {
  if (isStoplogError(error)) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  return new StoplogError(
    'STOPLOG_SOURCE',
    { source: name, cause: cause.message },
    `source '${name}' failed: ${cause.message}. It is opened again after a while`,
    { cause },
  );
};

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
