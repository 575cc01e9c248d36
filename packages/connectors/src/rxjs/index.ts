/**
 * `@stoplog/connectors/rxjs`: an Observable as a source, and a topic as an Observable.
 *
 * RxJS has no demand: an Observable pushes, a log is pulled. So the two meet in two places only, and each defines its
 * behaviour when one is faster than the other.
 */
export { fromObservable, type FromObservable } from './from-observable.ts';
export type { Dropped } from './observable-reader.ts';
export { observe, type ObserveOptions } from './observe.ts';
export type { Overflow } from './pure/arrival-buffer.ts';
