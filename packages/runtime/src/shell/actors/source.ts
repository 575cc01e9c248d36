/** Opens a source for its actor, and says of what fails which source it was. */
import { isStoplogError, StoplogError, type Source, type SourceReader } from '@stoplog/core/port';

/** Opens a source, as long as the actor is not to end: a source that does not open holds up no drain. */
export const openSource = async (source: Source<unknown, unknown>, ending: AbortSignal): Promise<SourceReader> => {
  const opening = source.open();
  const reader = await Promise.race([opening, aborted(ending)]).catch((error: unknown) => {
    throw sourceFailed(source.name, error);
  });
  if (reader !== undefined) return reader;
  void opening.then((late) => late[Symbol.asyncDispose]()).catch(() => {});
  throw sourceFailed(source.name, new Error('it was to end before it was open'));
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

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
