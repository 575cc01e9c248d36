/**
 * Reads an async iterable and calls `idle` whenever the next item is not there yet, so that the records gathered so far do
 * not wait for it.
 */
export const isAsync = <T>(items: Iterable<T> | AsyncIterable<T>): items is AsyncIterable<T> => Symbol.asyncIterator in items;

export async function* eager<T>(items: AsyncIterable<T>, idle: () => void): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      let here = false;
      const next = Promise.resolve(iterator.next()).finally(() => {
        here = true;
      });
      next.catch(() => {});
      // An available item arrives within a few microtasks; only slower ones are awaited through the event loop.
      for (let i = 0; i < 4 && !here; i++) await Promise.resolve();
      if (!here) {
        await Promise.race([next, new Promise<void>((resolve) => setImmediate(resolve))]);
        if (!here) idle();
      }
      const { done, value } = await next;
      if (done) {
        ended = true;
        return;
      }
      yield value;
    }
  } finally {
    if (!ended) await iterator.return?.();
  }
}
