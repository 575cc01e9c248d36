/** A wish that an actor end, seen at once by whoever waits: `drain` finishes what is begun, `abandon` does not. */
export type Ending = 'drain' | 'abandon';

export class EndingSignal {
  readonly #controller = new AbortController();
  ending: Ending | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  end(ending: Ending): void {
    if (this.ending !== 'abandon') this.ending = ending;
    this.#controller.abort();
  }
}
