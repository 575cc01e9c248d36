/**
 * Estimates the bytes of a value in memory, so that what an actor keeps is bounded in bytes, not in entries only.
 *
 * A decoded value takes more memory than its encoded bytes: each object, property and text has a header. The estimate looks at a few hundred
 * properties, and takes the rest of a long list to be like its beginning.
 */

/** The number of properties that an estimate looks at. */
const LOOK = 256;
export const SLOT_BYTES = 8;
export const TEXT_BYTES = 16;
export const OBJECT_BYTES = 24;

/** A number, a boolean and null count nothing: they are part of whatever holds them. */
export const sizeOfValue = (value: unknown): number => {
  if (typeof value === 'string') return TEXT_BYTES + value.length;
  return typeof value === 'object' && value !== null ? sizeOfObject(value, { left: LOOK }) : 0;
};

const sizeOfObject = (value: object, look: { left: number }): number => {
  if (ArrayBuffer.isView(value)) return OBJECT_BYTES + value.byteLength;
  let size = 0;
  let seen = 0;
  for (const name in value) {
    if (look.left-- <= 0) break;
    seen++;
    const one = (value as Readonly<Record<string, unknown>>)[name];
    size += SLOT_BYTES;
    if (typeof one === 'string') size += TEXT_BYTES + one.length;
    else if (typeof one === 'object' && one !== null) size += sizeOfObject(one, look);
  }
  return OBJECT_BYTES + (Array.isArray(value) && seen > 0 ? (size / seen) * value.length : size);
};
