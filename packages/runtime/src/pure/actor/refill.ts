/**
 * Fetches batches for the inputs that have none left.
 *
 * The inputs are requested one after the other. An input that stays empty while another does not is requested again: a record that was
 * appended to it between the two fetches comes first. At rest all requests wait. The answer for a task's only input is kept; with several
 * inputs it is dropped, for the next turn requests all of them to find the first record.
 */
import type { Input } from './input.ts';
import type { Found, Notice, Request } from './work.ts';

export class Refill {
  readonly #inputs: readonly Input[];
  readonly #bytes: number;
  /** Requests that are not answered, and the input of each. */
  readonly #asked = new Map<number, Input>();
  /** Inputs still to be requested in this round, and the number requested in it. */
  #round: Input[] | undefined;
  #asking = 0;
  #number = 0;
  #waits = false;

  constructor(inputs: readonly Input[], bytes: number) {
    this.#inputs = inputs;
    this.#bytes = bytes;
  }

  get isWaiting(): boolean {
    return this.#waits && this.#asked.size > 0;
  }
  isAsked(ask: number): boolean {
    return this.#asked.has(ask);
  }
  /** The next request of the round; none when the round is over. */
  ask(): readonly Request[] {
    this.#round ??= this.#begin(this.#inputs);
    if (this.#round.length === 0) {
      const empty = this.#inputs.filter(({ view }) => view === undefined);
      if (empty.length > 0 && empty.length < this.#asking) this.#round = this.#begin(empty);
    }
    const input = this.#round.shift();
    if (input !== undefined) return [this.#request(input, this.#bytes, false)];
    this.#round = undefined;
    return NONE;
  }
  wait(): readonly Request[] {
    const bytes = this.#inputs.length === 1 ? this.#bytes : 1;
    // An input may have records that cannot be read yet: there is no room for their calls.
    return this.#inputs.filter(({ view }) => view === undefined).map((input) => this.#request(input, bytes, true));
  }
  /** Undefined for an answer that is no longer needed. */
  heard(ask: number, found: Found): readonly Notice[] | undefined {
    const input = this.#asked.get(ask);
    if (input === undefined) return undefined;
    const several = this.#waits && this.#inputs.length > 1;
    this.#asked.clear();
    const notices: Notice[] = several ? [{ type: 'stop waiting' }] : [];
    if (found.from !== input.next) {
      notices.push({ type: 'report', jump: { ...input.place, from: input.next, to: found.from } });
      input.next = found.from;
    }
    if (!several) input.accept(found, this.#bytes);
    return notices;
  }

  #begin(among: readonly Input[]): Input[] {
    const empty = among.filter(({ view }) => view === undefined);
    this.#asking = empty.length;
    return empty;
  }
  #request(input: Input, bytes: number, waits: boolean): Request {
    this.#waits = waits;
    this.#asked.set(++this.#number, input);
    return { type: 'fetch', ask: this.#number, from: { ...input.place, offset: input.next }, bytes, waits };
  }
}
const NONE: readonly Request[] = [];
