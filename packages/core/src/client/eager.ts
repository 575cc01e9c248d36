/**
 * Reads an async iterable and calls `idle` whenever the next item is not there yet, so that the records gathered so far do
 * not wait for it. When a signal is aborted, the reading ends at once with its reason, also while the iterable is silent.
 */
import { onAbort } from '../pure/on-abort.ts';

export const isAsync = <T>(items: Iterable<T> | AsyncIterable<T>): items is AsyncIterable<T> => Symbol.asyncIterator in items;

export async function* eager<T>(items: AsyncIterable<T>, idle: () => void, signals: readonly (AbortSignal | undefined)[] = []): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let isOver = false;
  let isWaiting = false;
  let interrupt = (_: unknown): void => {};
  const stops = signals.map((signal) => onAbort(signal, () => interrupt(signal!.reason)));
  try {
    for (;;) {
      for (const signal of signals) signal?.throwIfAborted();
      let here = false;
      isWaiting = true;
      const next = Promise.resolve(iterator.next()).finally(() => {
        here = true;
      });
      // An available item arrives within a few microtasks; only slower ones are awaited through the event loop.
      next.catch(() => {});
      for (let i = 0; i < 4 && !here; i++) await Promise.resolve();
      if (!here) {
        await Promise.race([next, turn()]);
        if (!here) idle();
      }
      const { done, value } = await new Promise<IteratorResult<T>>((resolve, reject) => {
        interrupt = reject;
        for (const signal of signals) if (!here && signal?.aborted === true) reject(signal.reason as Error);
        next.then(resolve, reject);
      });
      isWaiting = false;
      if (done === true) {
        isOver = true;
        return;
      }
      yield value;
    }
  } finally {
    for (const stop of stops) stop();
    if (!isOver) {
      const returned = Promise.resolve(iterator.return?.());
      // A generator that is waiting returns when its wait ends, which may be never.
      await (isWaiting ? Promise.race([returned.catch(() => {}), turn()]) : returned);
    }
  }
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
