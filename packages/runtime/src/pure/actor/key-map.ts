/**
 * A Map whose keys are equal when their data are: `{ a: 1 }` finds the value that was set under another `{ a: 1 }`.
 *
 * Strings, numbers and the like are their own keys, as fast as a Map is; objects go by their sort key in a second one. The last key is
 * remembered: a verb reads a key and then writes it, and a string is hashed and compared once.
 */
import { encodeSortKey } from '@stoplog/core/kit';

export class KeyMap<T> {
  readonly #plain = new Map<unknown, T>();
  readonly #composed = new Map<string, T>();
  #lastKey: unknown;
  #last: T | undefined;

  get size(): number {
    return this.#plain.size + this.#composed.size;
  }
  get(key: unknown): T | undefined {
    if (!isPlain(key)) return this.#composed.get(composed(key));
    if (key === this.#lastKey && this.#last !== undefined) return this.#last;
    this.#lastKey = key;
    return (this.#last = this.#plain.get(key));
  }
  set(key: unknown, value: T): void {
    if (!isPlain(key)) return void this.#composed.set(composed(key), value);
    this.#lastKey = key;
    this.#last = value;
    this.#plain.set(key, value);
  }
  delete(key: unknown): void {
    this.#last = undefined;
    if (isPlain(key)) this.#plain.delete(key);
    else this.#composed.delete(composed(key));
  }
  clear(): void {
    this.#last = undefined;
    this.#plain.clear();
    this.#composed.clear();
  }
  *values(): Iterable<T> {
    yield* this.#plain.values();
    yield* this.#composed.values();
  }
}

const isPlain = (key: unknown): boolean => typeof key !== 'object' || key === null;
const composed = (key: unknown): string => Buffer.from(encodeSortKey(key)).toString('latin1');
