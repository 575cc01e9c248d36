/**
 * Refuses unknown settings. Types refuse them too, but a module may run without a type check: Node and the `stoplog` command
 * strip the types of a .ts file and run it. A mistyped setting would then be ignored silently.
 */
import { StoplogError } from './errors.ts';

/** Every property of a settings' type, once: the compiler checks that none is missing. */
export type Known<T> = Readonly<Record<keyof T, true>>;

/** The names of a table, as `checkSettings` takes them. */
export const namesOf = <T extends object>(table: T): { readonly [N in keyof T]: true } =>
  // Every key of the table, and no other, is in the result.
  Object.fromEntries(Object.keys(table).map((name) => [name, true])) as { [N in keyof T]: true };

/** `whose` is the subject of the error, such as `topic 'orders'`. */
export const checkSettings = <T>(whose: string, given: T, known: Known<T>): void => {
  if (typeof given !== 'object' || given === null)
    throw new StoplogError('STOPLOG_USAGE', { whose, found: typeof given }, `${whose} needs settings: give an object with ${namesIn(known)}`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new StoplogError('STOPLOG_USAGE', { whose, setting: unknown }, `${whose} knows no setting '${unknown}': it takes ${namesIn(known)}`);
};
const namesIn = (known: object): string => Object.keys(known).join(', ');
