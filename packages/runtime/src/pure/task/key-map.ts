/**
 * A Map whose keys are equal when their data are: `{ a: 1 }` finds what was set under another `{ a: 1 }`.
 *
 * Strings, numbers and the like are their own keys, as fast as a Map is; objects go by their sort key in a second one.
 */
import { encodeSortKey } from '@stoplog/core/port';

export class KeyMap<T> {
  readonly #plain = new Map<unknown, T>();
  readonly #composed = new Map<string, T>();

  get size(): number {
    return this.#plain.size + this.#composed.size;
  }
  get(key: unknown): T | undefined {
    return isPlain(key) ? this.#plain.get(key) : this.#composed.get(composed(key));
  }
  set(key: unknown, value: T): void {
    if (isPlain(key)) this.#plain.set(key, value);
    else this.#composed.set(composed(key), value);
  }
  delete(key: unknown): void {
    if (isPlain(key)) this.#plain.delete(key);
    else this.#composed.delete(composed(key));
  }
  clear(): void {
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
