/**
 * Any decoded value as one line of JSON. A type that JSON lacks becomes an object that names it: `{"hex":"00ff"}` for bytes,
 * `{"bigint":"1"}`, `{"date":"…"}`, `{"set":[…]}`, `{"number":"NaN"}`.
 */
import { oneLine } from '@stoplog/runtime/kit';

export const jsonText = (value: unknown): string => oneLine(JSON.stringify(value, named) ?? 'null');

/** An offset as a number while numbers are exact, beyond 2^53 as a text of decimal digits: `JSON.parse` of either loses nothing. */
export const offsetData = (offset: bigint): number | string => (offset <= Number.MAX_SAFE_INTEGER ? Number(offset) : String(offset));

export const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** `this` holds the value before its own `toJSON` was called. */
function named(this: unknown, name: string, converted: unknown): unknown {
  const value = (this as Readonly<Record<string, unknown>>)[name];
  if (value instanceof Uint8Array) return { hex: hexOf(value) };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? { date: 'invalid' } : { date: value.toISOString() };
  if (value instanceof Set) return { set: [...value] };
  if (typeof value === 'bigint') return { bigint: String(value) };
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) };
  return converted;
}
