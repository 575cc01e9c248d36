/**
 * Finds the parts of a value that a codec would quietly change. This slow check runs for open schemas, and for others only when
 * the encoded bytes show a trace (json.ts and msgpack.ts say which).
 */
import { isWellFormed } from '../bytes/text.ts';
import { isPlain } from '../bytes/canonical.ts';

export interface Fault {
  /** From the leaf up while it is found, in reading order when it is returned. */
  readonly path: (string | number)[];
  readonly what: string;
}

/** NaN and the infinities become null in JSON, and so does undefined in an array; functions vanish; a Date becomes a string. */
export const jsonFault = (value: unknown): Fault | undefined => reversed(inJson(value));
/** MessagePack renames `__proto__`, replaces halves of surrogate pairs, and takes a Map for an object. */
export const msgpackFault = (value: unknown): Fault | undefined => reversed(inMsgpack(value));

const inJson = (value: unknown): Fault | undefined => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : fault(String(value));
    case 'object':
      if (value === null) return undefined;
      if (Array.isArray(value)) return inItems(value, inJson);
      return isPlain(value) ? inMembers(value, inJson) : fault(nameOf(value));
    default:
      return fault(nameOf(value));
  }
};

const inMsgpack = (value: unknown): Fault | undefined => {
  switch (typeof value) {
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return undefined;
    case 'string':
      return isWellFormed(value) ? undefined : fault('a string with half a surrogate pair');
    case 'object':
      if (value === null || value instanceof Date || value instanceof Uint8Array) return undefined;
      if (Array.isArray(value)) return inItems(value, inMsgpack);
      if (value instanceof Set) return inItems([...value], inMsgpack);
      if (!isPlain(value)) return fault(nameOf(value));
      if (Object.hasOwn(value, '__proto__')) return fault('a property named __proto__');
      if (!Object.keys(value).every(isWellFormed)) return fault('a property name with half a surrogate pair');
      return inMembers(value, inMsgpack);
    default:
      return fault(nameOf(value));
  }
};

type Look = (value: unknown) => Fault | undefined;

const inItems = (items: readonly unknown[], look: Look): Fault | undefined => {
  for (let i = 0; i < items.length; i++) {
    const found = look(items[i]);
    if (found) return below(found, i);
  }
  return undefined;
};

/** An undefined property is an absent one: schemas say so with `.optional()`. */
const inMembers = (value: object, look: Look): Fault | undefined => {
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const found = look(member);
    if (found) return below(found, name);
  }
  return undefined;
};

const fault = (what: string): Fault => ({ path: [], what });
const below = (found: Fault, part: string | number): Fault => {
  found.path.push(part);
  return found;
};
const reversed = (found: Fault | undefined): Fault | undefined => {
  found?.path.reverse();
  return found;
};

/** The kind of a value, in a word or two. */
export const nameOf = (value: unknown): string => {
  if (value === undefined || value === null) return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  const maker: unknown = value.constructor;
  return typeof maker === 'function' && maker.name !== '' ? `a ${maker.name}` : 'an object';
};
