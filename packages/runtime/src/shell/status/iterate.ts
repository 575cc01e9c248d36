/** Makes an Observable an async iterable too: each loop subscribes when it begins, and unsubscribes when it ends in any way. */
import type { Observable } from 'rxjs';

export type Iterated<T> = Observable<T> & AsyncIterable<T>;

/** A loop that is slower than the values keeps the last `kept` of them. */
export const iterate = <T>(observable: Observable<T>, kept: number): Iterated<T> =>
  Object.assign(observable, { [Symbol.asyncIterator]: (): AsyncIterator<T, undefined> => loopOver(observable, kept) });

const loopOver = <T>(observable: Observable<T>, kept: number): AsyncIterator<T, undefined> => {
  const values: T[] = [];
  let over: { readonly error?: unknown } | undefined;
  let wake = (): void => {};
  const subscription = observable.subscribe({
    next: (value) => {
      values.push(value);
      if (values.length > kept) values.shift();
      wake();
    },
    error: (error: unknown) => {
      over = { error };
      wake();
    },
    complete: () => {
      over ??= {};
      wake();
    },
  });
  return {
    async next() {
      while (values.length === 0 && over === undefined) await new Promise<void>((resolve) => (wake = resolve));
      if (values.length > 0) return { value: values.shift()!, done: false };
      if (over !== undefined && 'error' in over) throw over.error;
      return { value: undefined, done: true };
    },
    async return() {
      subscription.unsubscribe();
      over = {};
      values.length = 0;
      wake();
      return { value: undefined, done: true };
    },
  };
};
