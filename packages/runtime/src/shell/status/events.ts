/**
 * The events of an app as a stream: an RxJS Observable, and an async iterable.
 *
 * A subscriber gets the events from its subscription on. A loop that is slower than the events keeps the last thousand.
 */
import type { Observable } from 'rxjs';
import type { AppEvent } from '../../pure/host/app-event.ts';
import { iterate, type Iterated } from './iterate.ts';
import { rxjs } from './rxjs.ts';

/** Complete when the app has ended. */
export type EventStream = Observable<AppEvent> & AsyncIterable<AppEvent>;

const KEPT = 1_000;

export class Events {
  readonly #listeners = new Set<(event: AppEvent) => void>();
  #ended = false;
  #stream: EventStream | undefined;

  report(event: AppEvent): void {
    this.#ended ||= event.type === 'ended';
    for (const listener of [...this.#listeners]) listener(event);
  }
  /** rxjs is loaded when it is first asked for. */
  get stream(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    const { Observable: Observed } = rxjs();
    const stream: Iterated<AppEvent> = iterate(
      new Observed<AppEvent>((subscriber) => {
        if (this.#ended) return subscriber.complete();
        const listener = (event: AppEvent): void => {
          subscriber.next(event);
          if (event.type === 'ended') subscriber.complete();
        };
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      }),
      KEPT,
    );
    return (this.#stream = stream);
  }
}
