/**
 * A value that several functions see is frozen, or each of them gets a copy.
 *
 * A handler that changed a value in place would change the value of a sibling branch, the store or the next record, and the result would
 * depend on the last commit. Plain objects and arrays are frozen, which costs less than a tenth of decoding them: a change throws. Bytes,
 * dates, maps and sets cannot be frozen; they are copied. Primitives cost a typeof.
 */

/** Deeper values are copied by their codec, or refused by it. */
const MAX_DEPTH = 500;
/** A container of more entries is remembered, so that it is not walked again whenever a value that holds it is set. */
const REMEMBERED_FROM = 32;
const remembered = new WeakSet<object>();

/** Freezes the whole value. Returns false, and freezes nothing around it, if the value holds anything that cannot be frozen. */
export const freezeDeep = (value: unknown): boolean => typeof value !== 'object' || value === null || freezeObject(value, 0);

/** True when a value that `freezeDeep` has seen is frozen. */
export const isFrozen = (value: unknown): boolean => typeof value !== 'object' || Object.isFrozen(value);

/** The value for one more function: itself if it is frozen, and otherwise a copy. */
export const sharedValue = (value: unknown): unknown => (typeof value !== 'object' || value === null || freezeObject(value, 0) ? value : copyOf(value, 0));

/** From the inside out, so that the outermost object is frozen only if everything in it is. */
const freezeObject = (value: object, depth: number): boolean => {
  if (depth > MAX_DEPTH) return false;
  let size = 0;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    size = list.length;
    if (size >= REMEMBERED_FROM && remembered.has(value)) return true;
    for (let i = 0; i < size; i++) {
      const one = list[i];
      if (typeof one === 'object' && one !== null && !freezeObject(one, depth + 1)) return false;
    }
  } else {
    if (!isPlain(value)) return false;
    // Not Object.values: its list costs three times as much as freezing.
    for (const name in value) {
      if (++size === REMEMBERED_FROM && remembered.has(value)) return true;
      const one = (value as Readonly<Record<string, unknown>>)[name];
      if (typeof one === 'object' && one !== null && !freezeObject(one, depth + 1)) return false;
    }
  }
  Object.freeze(value);
  if (size >= REMEMBERED_FROM) remembered.add(value);
  return true;
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
