/**
 * Ends an async generator that is waiting.
 *
 * An async generator puts a `return()` behind the `next()` that is waiting, so that a reader of a silent topic could not leave:
 * `Readable.destroy()`, `pipeline` and RxJS would wait for the next record. Here `end` first ends the wait.
 */
export const endable = <T>(items: AsyncGenerator<T, void, undefined>, end: () => void): AsyncIterableIterator<T, void, undefined> => ({
  next: () => items.next(),
  return: () => {
    end();
    return items.return();
  },
  throw: (error) => {
    end();
    return items.throw(error);
  },
  [Symbol.asyncIterator]() {
    return this;
  },
});
