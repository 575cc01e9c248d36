/**
 * A value that several functions see is frozen, or each of them gets a copy.
 *
 * A handler that changed a value in place would change the value of a sibling branch, the store or the next record, and the result would
 * depend on the last commit. Plain objects and arrays are frozen, which costs less than a tenth of decoding them: a change throws. Bytes,
 * dates, maps and sets cannot be frozen; they are copied. Primitives cost a typeof.
 */

import { OBJECT_BYTES, SLOT_BYTES, sizeOfValue, TEXT_BYTES } from '../actor/value-size.ts';

/** Deeper values are copied by their codec, or refused by it. */
const MAX_DEPTH = 500;
/** A container of more entries is remembered, so that it is not walked again whenever a value that holds it is set. */
const REMEMBERED_FROM = 32;
const remembered = new WeakMap<object, number>();
/** The result of freezing a value that holds anything which cannot be frozen: less than any size. */
const CANNOT = -1;

/**
 * Freezes the whole value. Returns its size in memory, as value-size.ts estimates it, since both have to look at every property; below zero,
 * and nothing around it is frozen, if the value holds anything that cannot be frozen.
 */
export const freezeDeep = (value: unknown): number => (typeof value !== 'object' || value === null ? sizeOfValue(value) : freezeObject(value, 0));

/** True when a value that `freezeDeep` has seen is frozen. */
export const isFrozen = (value: unknown): boolean => typeof value !== 'object' || Object.isFrozen(value);

/** The value for one more function: itself if it is frozen, and otherwise a copy. */
export const sharedValue = (value: unknown): unknown => (typeof value !== 'object' || value === null || freezeObject(value, 0) >= 0 ? value : copyOf(value, 0));

/** From the inside out, so that the outermost object is frozen only if everything in it is. */
const freezeObject = (value: object, depth: number): number => {
  if (depth > MAX_DEPTH) return CANNOT;
  let size = OBJECT_BYTES;
  let entries = 0;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    entries = list.length;
    if (entries >= REMEMBERED_FROM) {
      const known = remembered.get(value);
      if (known !== undefined) return known;
    }
    for (let i = 0; i < entries; i++) {
      const one = list[i];
      if (typeof one === 'string') size += TEXT_BYTES + one.length;
      else if (typeof one === 'object' && one !== null) {
        const inner = freezeObject(one, depth + 1);
        if (inner < 0) return CANNOT;
        size += inner;
      }
    }
  } else {
    if (!isPlain(value)) return CANNOT;
    // Not Object.values: its list costs three times as much as freezing.
    for (const name in value) {
      if (++entries === REMEMBERED_FROM) {
        const known = remembered.get(value);
        if (known !== undefined) return known;
      }
      const one = (value as Readonly<Record<string, unknown>>)[name];
      if (typeof one === 'string') size += TEXT_BYTES + one.length;
      else if (typeof one === 'object' && one !== null) {
        const inner = freezeObject(one, depth + 1);
        if (inner < 0) return CANNOT;
        size += inner;
      }
    }
  }
  Object.freeze(value);
  size += SLOT_BYTES * entries;
  if (entries >= REMEMBERED_FROM) remembered.set(value, size);
  return size;
};

/** An object without a class: freezing protects all of it. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Copies everything that can be changed; an object of another class, which only its author can copy, is handed on as it is. */
const copyOf = (value: unknown, depth: number): unknown => {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (ArrayBuffer.isView(value)) return value instanceof Uint8Array ? copyOfBytes(value) : structuredClone(value);
  if (value instanceof Date) return new Date(value);
  if (value instanceof Map) return new Map(Array.from(value, ([key, one]) => [copyOf(key, depth + 1), copyOf(one, depth + 1)] as const));
  if (value instanceof Set) return new Set(Array.from(value, (one) => copyOf(one, depth + 1)));
  if (Array.isArray(value)) return value.map((one) => copyOf(one, depth + 1));
  if (!isPlain(value)) return value;
  // `defineProperty` for __proto__: assigned, that name would set the prototype.
  const copy: object = Object.create(Object.getPrototypeOf(value) as object | null) as object;
  for (const [name, one] of Object.entries(value))
    Object.defineProperty(copy, name, { value: copyOf(one, depth + 1), enumerable: true, writable: true, configurable: true });
  return copy;
};

/** Not `value.slice()`: a Buffer's shares its memory. */
export const copyOfBytes = (bytes: Uint8Array): Uint8Array => Uint8Array.prototype.slice.call(bytes);
